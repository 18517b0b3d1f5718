// Concurrency: actors, async functions, async let, isolation, sending, typed throws, distributed
// thunks as far as the library has them; closures of many kinds; observation; synchronization.
import Observation
import Synchronization

public enum Fault: Error { case one, two(String) }
public struct Generic<E: Error>: Error { let e: E }
public func typed(_ n: Int) throws(Fault) -> Int { if n > 3 { throw .two("x") }; return n }
public func typedGeneric<E: Error, R>(_ f: (Int) throws(E) -> R) throws(E) -> R { try f(1) }
public func typedClosures() -> Int { (try? typedGeneric { (n) throws(Fault) in try typed(n) }) ?? typedGeneric { $0 } }
public func mapTyped<T, E>(_ a: [T], f: @escaping (T) throws(Generic<E>) -> T) -> (T) throws(Generic<E>) -> [T] { { (t: T) throws(Generic<E>) -> [T] in [try f(t)] } }
public protocol Source { associatedtype Failure: Error; func pull() async throws(Failure) -> Int ; func pair() async -> (Int, String) }
public struct S1: Source { public func pull() async throws(Fault) -> Int { await Task.yield(); throw .one } ; public func pair() async -> (Int, String) { await Task.yield(); return (1, "") } }

public actor Counter: CustomStringConvertible {
    var n = 0
    public let id: Int
    public init(id: Int) { self.id = id }
    public init(later: Int) async { id = later; n = 2; await self.bump() }
    public func bump(by k: Int = 1) async -> Int { n += k; await Task.yield(); return n }
    public nonisolated var description: String { "counter \(id)" }
    public func both(_ other: isolated Counter?, _ f: @Sendable (Int) async throws -> Int) async rethrows -> Int { try await f(n) }
    public var current: Int { get async throws { n } }
    public subscript(i: Int) -> Int { get async { i + n } }
    deinit { print(n) }
}
@globalActor public actor Store { public static let shared = Store() ; public static func run<R: Sendable>(_ f: @Store @Sendable () throws -> R) async rethrows -> R { try await f() } }
@MainActor public final class View { public var title = "t"; public init() {} ; public func update(_ f: @escaping @MainActor (View) -> Void) { f(self) } ; nonisolated public func read() -> Int { 1 } ; public var size: Int { title.count } }
@Store public func stored(_ v: View) async -> String { await v.title }
@Store public var storeGlobal: [Int] = [1, 2]
public func isolatedAny(_ f: @escaping @isolated(any) @Sendable (Int) async -> String) async -> String { await f(1) }
public func isolatedParam(_ a: isolated (any Actor)? = #isolation, n: Int) async -> Int { n }
public func sendingOne(_ v: sending Box<Int>) -> sending Box<String> { Box(["\(v.count)"]) }
#if NO_DEBUG_INFO // the compiler can't describe it
public func sendingFn(_ f: (sending Box<Int>) -> sending Box<Int>) {}
#endif
public func strings() -> AsyncStream<String> { AsyncStream { c in c.yield("a"); c.onTermination = { _ in print("end") }; c.finish() } }
public func throwing() -> AsyncThrowingStream<Int, any Error> { AsyncThrowingStream { c in c.finish(throwing: Fault.one) } }
public struct Numbers: AsyncSequence { public typealias Element = Int ; public struct It: AsyncIteratorProtocol { var n = 0; public mutating func next() async -> Int? { await Task.yield(); n += 1; return n > 3 ? nil : n } } ; public func makeAsyncIterator() -> It { It() } }
public func many(_ c: Counter) async throws -> Int {
    async let a = c.bump(by: 2)
    async let b: Int = { try await c.current }()
    async let s = strings().reduce(into: "") { $0 += $1 }
    let group = await withTaskGroup(of: Int.self) { g in
        for i in 0..<4 { g.addTask { await c.bump(by: i) } }
        return await g.reduce(0, +)
    }
    let more = try await withThrowingTaskGroup(of: String.self, returning: [String].self) { g in
        g.addTask(priority: .high) { "\(await c.bump())" }
        var all: [String] = []
        for try await x in g { all.append(x) }
        return all
    }
    for await n in Numbers() { print(n) }
    for try await n in throwing().map({ $0 * 2 }).filter({ $0 > 1 }) { print(n) }
    let t = Task.detached(priority: .background) { @MainActor [c] in View().title + "\(c.id)" }
    let u = Task { @Store in await stored(await View()) }
    let k: Int = try await withCheckedThrowingContinuation { k in k.resume(returning: 3) }
    let l: String = await withUnsafeContinuation { $0.resume(returning: "l") }
    await withTaskCancellationHandler { await Task.yield() } onCancel: { print("cancelled") }
    try await Task.sleep(for: .seconds(1))
    return try await a + b + s.count + group + more.count + k + l.count + t.value.count + u.value.count
}
public func concurrentMap<T: Sendable, R: Sendable>(_ a: [T], _ f: @escaping @Sendable (T) async throws -> R) async rethrows -> [R] {
    try await withThrowingTaskGroup(of: (Int, R).self) { g in
        for (i, t) in a.enumerated() { g.addTask { (i, try await f(t)) } }
        var out = [R?](repeating: nil, count: a.count)
        for try await (i, r) in g { out[i] = r }
        return out.compactMap { $0 }
    }
}
public func useMap() async throws -> [String] { try await concurrentMap([1, 2]) { n in await Task.yield(); return "\(n)" } }
public protocol Service: Actor { func call(_ n: Int) async -> [Int] ; var state: String { get async } ; init(x: Int) async throws }
public actor Impl: Service { public init(x: Int) async throws { s = "\(x)" } ; let s: String ; public func call(_ n: Int) async -> [Int] { [n] } ; public var state: String { get async { s } } }
public func anyService(_ s: any Service) async -> Int { await s.call(2).count }
public func genericService<S: Service>(_ s: S) async throws -> S where S: Sendable { try await S(x: 1) }
public func asyncClosures(_ f: @escaping (Int) async -> Int, _ g: @escaping @Sendable (String) async throws(Fault) -> Void) -> [() async throws -> Int] { [{ await f(1) }, { try await g(""); return 2 }] }
public func reabstract<T>(_ f: @escaping (T) -> T, g: @escaping (T, T) async throws -> T) -> [(T) -> T] { [f] }
public func reabstracted() async -> Int { let fs = reabstract({ (n: Int) in n + 1 }, g: { a, b in await Task.yield(); return a + b }); let hs: [(String, Double) -> [Int]?] = [{ a, b in [a.count, Int(b)] }]; let os: ((Point) -> Point)? = { $0 }; return fs[0](1) + (hs[0]("", 1)?.count ?? 0) + (os?(Point.zero) == nil ? 0 : 1) }
@TaskLocal public var localValue: Int = 3
public enum Locals { @TaskLocal static var depth: String? }
public func taskLocals() async -> Int { await $localValue.withValue(4) { await Task.yield(); return localValue } }

public final class Executor1: SerialExecutor { public func enqueue(_ job: consuming ExecutorJob) { job.runSynchronously(on: asUnownedSerialExecutor()) } ; public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) } }
public actor Custom { let e = Executor1(); public nonisolated var unownedExecutor: UnownedSerialExecutor { e.asUnownedSerialExecutor() } ; public func work(_ p: TaskPriority, _ t: Task<Int, Never>, _ u: UnsafeCurrentTask?, _ c: CheckedContinuation<Int, any Error>, _ k: UnsafeContinuation<Void, Never>, _ e: any TaskExecutor, _ x: any Executor, _ j: UnownedJob, _ ce: CancellationError) {} }

@Observable public final class Model { public var count = 0; public var items: [String] = [] ; @ObservationIgnored var ignored = 1; public var derived: Int { count * 2 } ; public init() {} }
public func observe(_ m: Model) -> Int { withObservationTracking { m.count + m.items.count } onChange: { print("changed") } }
public final class Locked: Sendable { let m = Mutex<[String: Int]>([:]); let a = Atomic<Int>(0); public func bump(_ k: String) -> Int { a.add(1, ordering: .relaxed); return m.withLock { $0[k, default: 0] += 1; return $0.count } } ; public init() {} }
public func regexes(_ s: String) -> Int { let r = #/(\d+)-(?<name>\w+)/# ; if let m = s.firstMatch(of: r) { return m.output.1.count + m.name.count } ; return s.split(separator: #/\s+/#).count }

public func closures(_ n: Int) -> [() -> Int] {
    var total = 0
    let add = { (k: Int) in total += k }
    [1, 2, 3].forEach(add)
    let nested = { { { n + total } } }
    lazy var later = { [n] in n * 2 }
    func captured() -> Int { total + n }
    let partial = captured
    let method = Animal.make(_:) as (Animal.Type) -> Animal, bound = "abc".shout, ctor = Point.init(x:y:), op: (Int, Int) -> Int = (+), some = Optional<Int>.some
    print(method, bound(2), ctor(1, 2), op(1, 2), some(3) as Any)
    return [nested()(), partial, later, { [weak w = Animal.shared] in w?.name.count ?? 0 }, { [unowned u = Animal.shared] in u.name.count }]
}
public struct Defaults { public var a = { 3 }() , b = [1, 2].map { $0 + 1 }, c: () -> Int = { 4 } ; public static var s = { "s" }() ; public init(a: Int = { 1 }(), b: [Int] = [1].map { $0 }) { self.a = a; self.b = b } }
public func iterate(_ a: [Int], _ d: [String: Int]) -> [String] {
    let first: [String] = a.lazy.filter { $0 > 1 }.map { "\($0)" }
    let second: [String] = d.filter { $0.value > 1 }.keys.sorted().reversed()
    let third: [String] = zip(a, d).enumerated().flatMap { [$0.1.1.key] }
    let fourth: [String] = stride(from: 0, to: 9, by: 2).compactMap { String($0) }
    return first + second + third + Array(fourth.prefix(3))
}
public func decode<T: Codable>(_ t: T) -> T? { (t as Any) as? T }
public func casts(_ x: Any) -> Int { switch x { case let i as Int: return i; case let s as [String: Any]: return s.count; case let p as any Hashable & CustomStringConvertible: return p.hashValue; case is (Int) -> Int: return 4; case let t as (Int, String): return t.0; case is any Collection<Int>: return 5; case let e as any Error: return "\(e)".count; default: return 0 } }
