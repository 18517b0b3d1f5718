// Distributed actors.
import Distributed

public distributed actor Greeter {
    public typealias ActorSystem = LocalTestingDistributedActorSystem
    var mood = 3
    public distributed func greet(_ name: String, times n: Int) async throws -> [String] { Array(repeating: name, count: n + mood) }
    public distributed func plain() -> Int { mood }
    distributed func generic<T: Codable & Sendable>(_ t: T) -> T { t }
    public distributed var feeling: Int { mood }
    nonisolated public func local() -> Bool { id == self.id }
}
public func call(_ g: Greeter) async throws -> Int {
    _ = try await g.greet("a", times: 2)
    _ = try await g.generic([1, 2])
    return try await g.plain() + g.feeling
}
