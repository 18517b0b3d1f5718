// Nominal types, extensions, private and local names, operators, subscripts, accessors, enums.

public struct Point: Hashable, Codable, CustomStringConvertible, Comparable {
    public var x: Double, y: Double
    public static var zero: Point { Point(x: 0, y: 0) }
    public init(x: Double, y: Double) { self.x = x; self.y = y }
    public init?(parsing text: String) {
        let parts = text.split(separator: ",").compactMap { Double($0) }
        guard parts.count == 2 else { return nil }
        self.init(x: parts[0], y: parts[1])
    }
    public var description: String { "\(x),\(y)" }
    public var length: Double {
        get { (x * x + y * y).squareRoot() }
        set { let k = newValue / length; x *= k; y *= k }
    }
    public var observed: Int = 3 {
        willSet { print("will", newValue) }
        didSet { print("did", oldValue) }
    }
    public lazy var slow: [Point] = { (0..<3).map { Point(x: Double($0), y: self.y) } }()
    public subscript(axis: Int) -> Double {
        get { axis == 0 ? x : y }
        set { if axis == 0 { x = newValue } else { y = newValue } }
    }
    public subscript(named name: String, default fallback: @autoclosure () -> Double) -> Double {
        _read { yield name == "x" ? x : fallback() }
        _modify { yield &x }
    }
    public static subscript(table: String) -> Int { table.count }
    public static func < (a: Point, b: Point) -> Bool { a.length < b.length }
    public static func + (a: Point, b: Point) -> Point { Point(x: a.x + b.x, y: a.y + b.y) }
    public static prefix func - (a: Point) -> Point { Point(x: -a.x, y: -a.y) }
    public static func += (a: inout Point, b: Point) { a = a + b }
    public mutating func move(by d: Double, _ e: Double = 1, and rest: Double...) {
        x += d; y += e
        for r in rest { x += r }
    }
    public consuming func consumed() -> Double { x }
    public borrowing func borrowed() -> Double { y }
    public func shared(_ a: __shared String, owned b: __owned [Int], io c: inout Set<Int>) -> Int {
        c.insert(a.count); return b.count
    }
}

infix operator <*>: MultiplicationPrecedence
infix operator ⊕: AdditionPrecedence
prefix operator √
postfix operator %%
public func <*> (a: Point, b: Double) -> Point { Point(x: a.x * b, y: a.y * b) }
public func ⊕ <T: FixedWidthInteger>(a: T, b: T) -> T { a ^ b }
public prefix func √ (a: Double) -> Double { a.squareRoot() }
public postfix func %% (a: Int) -> Double { Double(a) / 100 }
public func ~= (pattern: Point, value: Double) -> Bool { pattern.length == value }

public enum Shape: CaseIterable {
    case empty, unit
    public static var allCases: [Shape] { [.empty, .unit, .circle(at: .zero, radius: 1)] }
    case circle(at: Point, radius: Double)
    case polygon([Point])
    indirect case both(Shape, Shape)
    public var area: Double {
        switch self {
        case .circle(_, let radius): return 3 * radius * radius
        case .both(let a, let b): return a.area + b.area
        default: return 0
        }
    }
    public enum Inner: UInt8, RawRepresentable, Codable { case one = 1, two, three }
    public struct Option: OptionSet {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static let fast = Option(rawValue: 1), slow = Option(rawValue: 2)
    }
}

public class Animal {
    public private(set) var name: String
    public static let shared = Animal(name: "cat")
    public class var kinds: Int { 3 }
    public weak var friend: Animal?
    public unowned var owner: Animal
    public unowned(unsafe) var other: Animal
    private var secret = [String: [Int]]()
    fileprivate func whisper(_ text: String) -> String { name + text }
    public required init(name: String) {
        self.name = name
        owner = Animal.shared
        other = Animal.shared
    }
    public convenience init() { self.init(name: "nobody") }
    deinit { print(name) }
    public func speak(to other: Animal, loudly: Bool = false, times n: Int = Int.random(in: 0..<4)) -> Self {
        print(whisper(other.name), loudly, n, secret)
        return self
    }
    public func clone() -> Self { Self.init(name: name) }
    public class func make<T: Animal>(_ type: T.Type) -> T { type.init(name: "made") }
    public final func sealed() -> Int { 1 }
    public dynamic func replaced() -> Int { 2 }
    open class Nested<Element> { public var e: Element; public init(_ e: Element) { self.e = e }
        public struct Deep<Other> { public var o: Other; public var e: Element } }
}

public class Dog: Animal {
    public override func speak(to other: Animal, loudly: Bool, times n: Int) -> Self {
        super.speak(to: other, loudly: true, times: n)
    }
    public override class var kinds: Int { 4 }
    public var tricks: [String: (count: Int, best: Double?)] = [:]
}

extension Animal { @_dynamicReplacement(for: replaced()) public func replacement2() -> Int { 5 } }

private struct Hidden { var a = 1; func use() -> Int { a } ; struct Under { init(_ h: Hidden) { print(h.use()) } } }
fileprivate enum HiddenCase: Error, Equatable { case bad(Int), good }
private protocol HiddenProtocol { func hidden() -> Int }
extension Hidden: HiddenProtocol { func hidden() -> Int { a + 1 } }
private let hiddenGlobal = Hidden(a: 7)
public func useHidden() throws -> Int {
    _ = Hidden.Under(hiddenGlobal)
    if hiddenGlobal.a > 8 { throw HiddenCase.bad(2) }
    let any: any HiddenProtocol = hiddenGlobal
    return any.hidden()
}

public func locals(_ n: Int) -> Int {
    struct Local: Hashable { var v: Int; func twice() -> Int { v * 2 } }
    class LocalClass { var l = Local(v: 1); deinit { print("gone") } }
    enum LocalEnum { case a, b(Local) }
    func helper(_ i: Int) -> Int {
        struct Local { var w: String }
        func helper(_ i: Int) -> Int { Local(w: "\(i)").w.count }
        return helper(i) + 1
    }
    if n > 3 { struct Local { var z: [Int] = [] ; func count() -> Int { z.count } } ; return Local().count() }
    let f = { (a: Int) -> Int in
        struct InClosure { var q: Int }
        return InClosure(q: a).q + { $0 + a }(a)
    }
    let e = LocalEnum.b(Local(v: n))
    if case .b(let l) = e { return helper(l.twice()) + f(n) + LocalClass().l.v }
    return Set([Local(v: n)]).count
}

extension Array where Element == Point {
    public var total: Point { reduce(.zero, +) }
    public struct Summary { public var n: Int; public init(_ a: [Point]) { n = a.count } }
}
extension Dictionary where Key: Comparable, Value: Collection, Value.Element == Int {
    public func sums() -> [(Key, Int)] { sorted { $0.key < $1.key }.map { ($0.key, $0.value.reduce(0, +)) } }
}
extension Optional where Wrapped: Equatable { public func isSome(_ w: Wrapped) -> Bool { self == w } }
extension String { public static let greeting = "hi"; public func shout(_ n: Int) -> String { self + String(repeating: "!", count: n) } }
extension Int: @retroactive ExpressibleByStringLiteral { public init(stringLiteral s: String) { self = s.count } }
extension Shape.Inner { public static func ** (a: Self, b: Self) -> Int { Int(a.rawValue) } }
infix operator **

public typealias Pair<A> = (A, A)
public typealias Handler = (Result<Point, any Error>) -> Void
public func pairs(_ p: Pair<Int>, _ q: Pair<Pair<String>>, h: @escaping Handler) -> Pair<Point>? { h(.success(.zero)); return nil }
public var global: [Int?: Set<String>] = [:]
public let pi2 = 2 * Double.pi, names = ["a", "b"], (left, right) = (1, "r")
public var computed: Character { get { "c" } set { print(newValue) } }
@usableFromInline internal var usable = [Substring]()
@inlinable public func inlinable(_ c: Character, _ u: Unicode.Scalar) -> Substring { usable.append("x"); return usable[0] }
public func été(naïve: Int, 日本: String) -> Int { naïve + 日本.count }
public struct Ünï { public var ß = 1; public enum 你好 { case 世界(Int) } }
public func `default`(`in` x: Int, `class`: String) -> Int { x }
public func standard(a: ClosedRange<Int>, b: Range<String.Index>, c: UnsafePointer<UInt8>, d: UnsafeMutablePointer<Float>,
    e: UnsafeBufferPointer<Int>, f: UnsafeMutableBufferPointer<Int>, g: UnsafeRawPointer, h: UnsafeMutableRawPointer,
    i: UnsafeRawBufferPointer, j: UnsafeMutableRawBufferPointer, k: ObjectIdentifier, l: DefaultIndices<[Int]>,
    m: some BinaryFloatingPoint, n: any Encodable, o: any Decodable, p: some RandomNumberGenerator, q: OpaquePointer,
    r: StaticString, s: AnyHashable, t: Mirror, u: KeyValuePairs<Int, Int>, v: Int8, w: UInt64, x: Int128) {}
public func functions(a: (Int) -> Void, b: @escaping (inout Int) -> Int, c: @autoclosure () -> Int, d: @escaping @autoclosure () -> String,
    e: @convention(c) (Int32) -> Int32, f: @convention(thin) () -> Void, g: (Int, String) throws -> (Int, String), h: ((Int) -> Int)?,
    i: [(Int) -> (String) -> Bool], j: (Any.Type, AnyObject.Type, Any, AnyObject), k: (Int...) -> Void) rethrows {}
public func tuples() -> (a: Int, b: (c: String, Double), (), ((Int))) { (1, ("", 2), (), 3) }
public func metatypes(_ a: Int.Type, _ b: Animal.Type, _ c: any Comparable.Type, _ d: (any Error).Type, _ e: (any Hashable & Sendable).Type?) {}
public func never() -> Never { fatalError() }
