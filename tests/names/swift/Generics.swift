// Protocols, associated types, generics, conditional conformances, existentials, opaque types,
// parameter packs, noncopyable types, key paths.

public protocol Container<Element> {
    associatedtype Element
    associatedtype Iterator: IteratorProtocol where Iterator.Element == Element
    associatedtype Sub: Container = Self where Sub.Element == Element
    var count: Int { get }
    var first: Element? { get set }
    static var empty: Self { get }
    init(_ elements: [Element])
    mutating func append(_ element: Element)
    func make() -> Iterator
    func sub() -> Sub
    subscript(_ i: Int) -> Element { get set }
    func mapped<T>(_ f: (Element) throws -> T) rethrows -> [T]
    static func == (a: Self, b: Self) -> Bool
}
extension Container {
    public func sub() -> Self { self }
    public func mapped<T>(_ f: (Element) throws -> T) rethrows -> [T] {
        var out: [T] = []; var it = make()
        while let e = it.next() { out.append(try f(e)) }
        return out
    }
    public static func == (a: Self, b: Self) -> Bool { a.count == b.count }
    public var isEmpty: Bool { count == 0 }
    public func all<C: Container>(_ c: C, where test: (Element, C.Element) -> Bool) -> Bool where C.Element: Hashable, C.Sub.Iterator.Element: Equatable { isEmpty }
}
extension Container where Element: Equatable, Iterator == IndexingIterator<[Element]> {
    public func find(_ e: Element) -> Int? { var n = 0; var it = make(); while let x = it.next() { if x == e { return n }; n += 1 }; return nil }
}
public struct Box<Element>: Container {
    var store: [Element]
    public init(_ e: [Element]) { store = e }
    public var count: Int { store.count }
    public var first: Element? { get { store.first } set { if let n = newValue { store[0] = n } } }
    public static var empty: Box { Box([]) }
    public mutating func append(_ e: Element) { store.append(e) }
    public func make() -> IndexingIterator<[Element]> { store.makeIterator() }
    public subscript(_ i: Int) -> Element { get { store[i] } set { store[i] = newValue } }
    public struct Index: Hashable { let at: Int }
    public enum Slot<Other> where Other: Hashable { case none, some(Other, Element) }
    public func zip<O, R>(_ o: Box<O>, _ f: (Element, O) -> R) -> Box<R> { Box<R>(Swift.zip(store, o.store).map(f)) }
}
extension Box: Equatable where Element: Equatable {}
extension Box: Hashable where Element: Hashable {}
extension Box: Encodable where Element: Encodable {}
extension Box: Decodable where Element: Decodable {}
extension Box: CustomStringConvertible where Element: CustomStringConvertible { public var description: String { store.map(\.description).joined() } }
extension Box: Sequence { public func makeIterator() -> IndexingIterator<[Element]> { store.makeIterator() } }
extension Box.Slot where Other == Int, Element: AnyObject { public func both() -> Int { 1 } }
extension Box where Element == (Int, String) { public func firsts() -> [Int] { store.map { $0.0 } } }
public typealias IntBox = Box<Int>

public protocol Drawable: AnyObject { func draw(in n: Int) ; var size: Double { get } }
public protocol Named { var name: String { get } }
public protocol Both: Drawable, Named, Sendable { static func build() -> Self }
public final class Widget: Both, @unchecked Sendable {
    public let name = "w"; public var size: Double { 1 }
    public func draw(in n: Int) { print(n) }
    public static func build() -> Widget { Widget() }
}
open class Base<T>: Named { public var name: String { "base" }; public var t: T; public init(_ t: T) { self.t = t }
    open func visit<U>(_ u: U) -> (T, U) { (t, u) } ; open func plain(_ t: T) -> T { t } ; open var stored: [T] { get { [] } set {} } }
open class Derived: Base<Int> { open override func visit<U>(_ u: U) -> (Int, U) { (1, u) } ; open override func plain(_ t: Int) -> Int { t + 1 }
    open override var stored: [Int] { get { [1] } set {} } }
public class Derived2<A, B>: Base<(A, B)>, Hashable where A: Hashable, B: Hashable {
    public static func == (l: Derived2, r: Derived2) -> Bool { l === r }
    public func hash(into hasher: inout Hasher) { hasher.combine(t.0); hasher.combine(t.1) }
    public override func plain(_ t: (A, B)) -> (A, B) { t }
}
public func existential(_ a: any Container<Int>, _ b: any Drawable & Named, _ c: any Base<Int> & Drawable, _ d: [any Container], e: (any Container<String>)?) -> any Named & Drawable { Widget() }
public func metatypeOf(_ a: any Container<Int>.Type, _ b: any (Drawable & Named).Type) {}
public func opaque(_ n: Int) -> some Container<Int> { Box([n]) }
public func opaque2() -> (some Named, [some Hashable]) { (Widget(), [1]) }
public func useOpaque() -> Int { let o = opaque(3); print(type(of: o), opaque2().1.count); return o.count }
public struct Holder { public var body: some Sequence<Int> { [1, 2, 3].lazy.map { $0 * 2 } } ; public subscript(i: Int) -> some Equatable { i }
    public func same(_ x: some Collection<Character>, _ y: inout some MutableCollection) -> some Sequence<Character> { x } }
public func open<T: Container>(_ t: T) -> T.Element? { t.first }
public func opened(_ any: any Container) -> Any { open(any) as Any }

public func swapTwo<A, B>(_ p: (A, B)) -> (B, A) { (p.1, p.0) }
public func constrain<A: Sequence, B: Collection>(_ a: A, _ b: B) -> [A.Element] where A.Element == B.Element, B.Index: Strideable, B.SubSequence == ArraySlice<A.Element> { Array(a) }
public func classBound<T: Animal & Named>(_ t: T) -> T where T: Sendable { t }
public func layout<T: AnyObject>(_ t: T, _ u: T.Type) -> ObjectIdentifier { ObjectIdentifier(t) }
@_specialize(exported: true, kind: full, where T == Int) @_specialize(where T: _Trivial) @_specialize(where T: _Trivial(64)) @_specialize(where T: AnyObject)
public func specialised1<T>(_ t: T) -> [T] { [t] }
@_specialize(exported: true, kind: partial, where U == String) @_specialize(where T: _Trivial(32), U: _Trivial(64, 8))
public func specialised<T, U>(_ t: T, _ u: U) -> (T, U) { (t, u) }
@inline(never) func generic<T: Comparable>(_ a: [T], by: (T, T) -> Bool) -> T? { a.sorted(by: by).first }
public func callers() -> Int {
    let a = generic([3, 1, 2], by: <), b = generic(["x", "y"], by: >), c = generic([Point.zero], by: { $0.x < $1.x })
    let d = generic([1.0, 2.0]) { $0 > $1 }
    return (a ?? 0) + (b?.count ?? 0) + (c == nil ? 0 : 1) + (d == nil ? 0 : 1)
}
@inline(never) func apply(_ f: (Int) -> Int, to n: Int, _ unused: String, _ box: Box<Int>) -> Int { f(n) + box.count }
@inline(never) func constants(_ n: Int, _ s: String, _ d: Double, _ p: (Int) -> Int, _ k: KeyPath<Point, Double>) -> Int { p(n) + s.count + Int(d) + Int(Point.zero[keyPath: k]) }
func twice(_ n: Int) -> Int { n * 2 }
public func propagated(_ n: Int, m: Int) -> Int {
    apply({ $0 + m }, to: n, "a", Box([1])) + apply({ $0 * n * m }, to: 2, "b", Box([2])) + apply(twice, to: m, "c", Box([]))
        + constants(4, "fixed", 2.5, twice, \.x) + constants(5, "é", 3.5, { $0 }, \.y)
}

public func packs<each T>(_ t: repeat each T) -> (repeat (each T)?) { (repeat Optional(each t)) }
public func packs2<each T: Hashable, each U>(_ t: repeat each T, u: repeat (each U, each T)) -> Int where repeat each U: Equatable { var n = 0; for x in repeat each t { n += x.hashValue }; return n }
public func packs3<First, each Rest: Collection>(_ f: First, _ rest: repeat each Rest) -> (First, repeat (each Rest).Element?) where repeat (each Rest).Element: Hashable { (f, repeat (each rest).first) }
public struct Variadic<each T> { public var items: (repeat each T); public init(_ t: repeat each T) { items = (repeat each t) }
    public func call<R>(_ f: (repeat each T) -> R) -> R { f(repeat each self.items) } ; public struct In<U> { var u: U? } }
public func usePacks() -> Int { let v = Variadic(1, "a", 2.0); let w: Variadic< >? = nil; print(packs(1, "b", [3]), packs3(1, [2], "s")); return v.call { $0 + $1.count + Int($2) } + Int(w == nil ? 1 : 2) }

public struct Unique: ~Copyable { public var fd: Int32; public init(_ n: Int32) { fd = n } ; deinit { print(fd) }
    public consuming func close() { discard self } ; public borrowing func peek() -> Int32 { fd } ; public mutating func swap(with u: consuming Unique) { self = u } }
public enum Maybe<T: ~Copyable>: ~Copyable { case none, some(T) ; public consuming func take() -> T? { switch consume self { case .none: return nil; case .some(let t): return t } } }
extension Maybe: Copyable where T: Copyable {}
public protocol Movable: ~Copyable { consuming func moved() -> Int }
extension Unique: Movable { public consuming func moved() -> Int { Int(fd) } }
public func noncopyable<T: Movable & ~Copyable>(_ t: consuming T, _ u: borrowing Unique) -> Int { t.moved() + Int(u.peek()) }
public func movableAny(_ m: consuming any Movable & ~Copyable) {}

public func keyPaths(_ b: Box<String>) -> [AnyKeyPath] {
    let i = 2, s = "k"
    let a: [AnyKeyPath] = [\Point.x, \Point.length, \Point[i], \Box<String>.[i], \Box<Int>.first?.magnitude, \[String: Int][s], \Derived.stored.count, \Animal.name, \(Int, String).1, \Dog.tricks[s]?.count, \Holder.body, \Base<Int>.stored]
    return a
}
public func keyPathGeneric<T: Container>(_ t: T) -> WritableKeyPath<T, T.Element?> { \T.first }
public func keyPathGeneric2<T: Hashable, U>(_ t: T, _ u: U) -> KeyPath<[T: [U]], Int?> { \[T: [U]].[t]?.count }
@dynamicMemberLookup public struct Lens<Root> { let root: Root; public subscript<V>(dynamicMember k: KeyPath<Root, V>) -> Lens<V> { Lens<V>(root: root[keyPath: k]) } }
@dynamicCallable public struct Callable { public func dynamicallyCall(withArguments a: [Int]) -> Int { a.count } ; public func dynamicallyCall(withKeywordArguments a: KeyValuePairs<String, Int>) -> Int { a.count } ; public func callAsFunction(_ n: Int) -> Int { n } }
public func lens(_ p: Point) -> Double { Lens(root: p).x.root + Double(Callable()(1)) }

@propertyWrapper public struct Clamped<V: Comparable> {
    var value: V; let range: ClosedRange<V>
    public init(wrappedValue: V, _ range: ClosedRange<V>) { value = wrappedValue; self.range = range }
    public init(projectedValue: Clamped<V>) { self = projectedValue }
    public var wrappedValue: V { get { value } set { value = min(max(newValue, range.lowerBound), range.upperBound) } }
    public var projectedValue: Clamped<V> { self }
}
@propertyWrapper public final class Shared<V> { public var wrappedValue: V; public init(wrappedValue: V) { self.wrappedValue = wrappedValue }
    public static subscript<O: AnyObject>(_enclosingInstance o: O, wrapped w: ReferenceWritableKeyPath<O, V>, storage s: ReferenceWritableKeyPath<O, Shared<V>>) -> V { get { o[keyPath: s].wrappedValue } set { o[keyPath: s].wrappedValue = newValue } } }
@propertyWrapper public struct Plain { public var wrappedValue: Int ; public init(wrappedValue: Int) { self.wrappedValue = wrappedValue } ; public var projectedValue: String { "p" } ; public init(projectedValue: String) { wrappedValue = projectedValue.count } }
public struct Wrapped { @Clamped(0...10) public var level = 3; @Plain public var plain = 4; @Shared var shared: [String] = [] ; @Shared @Plain var composed: Int = 3
    public init(level: Int) { self.level = level } ; public init() {}
    public func wrappedArgument(@Plain _ a: Int, @Plain b: Int) -> Int { a + b + $b.count } }
public final class Enclosing { @Shared public var s = 1 ; @Plain public var p = 2; public init() {} }
public func localWrapped() -> Int { @Plain var n = 3 ; @Clamped(1...3) var m = 2; let f: (Int) -> Int = { (@Plain x) in x + $x.count } ; n += m; return n + f(2) + Wrapped(level: 2).wrappedArgument(1, $b: "s") }
@resultBuilder public enum Builder { public static func buildBlock<each C>(_ c: repeat each C) -> (repeat each C) { (repeat each c) } ; public static func buildOptional<T>(_ t: T?) -> T? { t } ; public static func buildEither<A, B>(first a: A) -> Either<A, B> { .a(a) } ; public static func buildEither<A, B>(second b: B) -> Either<A, B> { .b(b) } ; public static func buildExpression<T>(_ t: T) -> [T] { [t] } ; public static func buildFinalResult<T>(_ t: T) -> T { t } }
public enum Either<A, B> { case a(A), b(B) }
extension Either: Sequence, IteratorProtocol where A: IteratorProtocol, B: IteratorProtocol, A.Element == B.Element { public mutating func next() -> A.Element? { nil } }
public func build<T>(@Builder _ f: (Bool) -> T) -> T { f(true) }
public func built(_ b: Bool) -> Any { build { x in "a"; if x { 1 } else { 2.0 }; if b { Point.zero }; [3] } }
public struct Fixed<T> { public var two: (T, T) ; public init(storage init1: T) { two = (init1, init1) } ; public var derived: T { @storageRestrictions(initializes: two) init(v) { two = (v, v) } get { two.0 } set { two.0 = newValue } } }
public struct InitAcc { var _n: Int ; public var n: Int { @storageRestrictions(initializes: _n) init { _n = newValue } get { _n } set { _n = newValue } } ; public init(n: Int) { self.n = n } }
