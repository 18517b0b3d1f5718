// What macros of the standard library expand to, and macros that are only declared.
import Observation

@freestanding(expression) public macro stringify<T>(_ value: T) -> (T, String) = #externalMacro(module: "None", type: "Stringify")
@attached(member, names: named(made)) @attached(extension, conformances: Hashable) public macro Made(_ n: Int = 3) = #externalMacro(module: "None", type: "Made")
@attached(peer, names: arbitrary) public macro Peered() = #externalMacro(module: "None", type: "Peered")

@Observable final class First { var a = 1; var b: [String]? ; struct In { var c = 2 } ; @Observable final class Second { var d = 1.0 } }
extension First { func use() -> Int { a + (b?.count ?? 0) } }
enum Space { @Observable class Third<T: Hashable> { var t: T ; var u = 0 { didSet { print(u) } } ; init(_ t: T) { self.t = t } } }

