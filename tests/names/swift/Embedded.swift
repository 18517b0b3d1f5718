// Embedded Swift: no metadata, everything specialised.
public struct Ring<Element> { var store: [Element]; var next = 0 ; public init(_ e: Element, _ n: Int) { store = Array(repeating: e, count: n) }
    public mutating func push(_ e: Element) { store[next] = e; next = (next + 1) % store.count } ; public subscript(i: Int) -> Element { store[i] }
    public func mapped<R>(_ f: (Element) -> R) -> [R] { store.map(f) } }
public protocol Sensor: AnyObject { func read() -> Int } 
public final class Thermometer: Sensor { var last = 3 ; public init() {} ; public func read() -> Int { last += 1; return last } ; deinit { last = 0 } }
public enum Failure: Error { case cold, hot(Int) }
public func sample<S: Sensor>(_ s: S, into r: inout Ring<Int>) throws(Failure) -> Int { let v = s.read(); if v > 100 { throw .hot(v) }; r.push(v); return v }
@inline(never) func fold<T>(_ a: [T], _ z: T, _ f: (T, T) -> T) -> T { var z = z; for x in a { z = f(z, x) }; return z }
public func runAll() -> Int { var r = Ring(0, 8), p = Ring<(Int, Bool)>((0, true), 4); let t = Thermometer(); p.push((1, false)); return ((try? sample(t, into: &r)) ?? 0) + fold(r.mapped { $0 * 2 }, 0, +) + (p[1].1 ? 1 : 2) + fold([1.5], 0.0) { Double(t.read()) + $0 * $1 }.exponentValue }
extension Double { var exponentValue: Int { Int(self) } }
public struct Handle: ~Copyable { let n: Int32 ; public consuming func end() -> Int32 { n } ; deinit { released += 1 } }
nonisolated(unsafe) var released = 0
