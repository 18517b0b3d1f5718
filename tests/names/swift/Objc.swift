// Classes that Objective-C sees.
@objc public protocol Seen { @objc func look(at n: Int) -> Int ; @objc optional func maybe(_ s: Int) ; @objc var width: Double { get set } }
@objc public class Viewer: Seen2 { @objc public override init() { super.init() } ; @objc public var width = 2.0 ; @objc public func look(at n: Int) -> Int { n } ; @objc(rename:with:) public func other(_ a: Int, _ b: Viewer?) -> Viewer? { b }
    @objc public dynamic func live() -> Int { 1 } ; @nonobjc public func hidden() {} ; @objc public static func make() -> Viewer { Viewer() } ; deinit { print("x") } ; @IBAction func tap(_ sender: AnyObject) {}
    @objc public func block(_ f: @escaping @convention(block) (Int) -> Int) -> Int { f(1) } ; @objc public func asyncWork(_ n: Int, then: @escaping (Viewer?, Int) -> Void) {}
    }
extension Viewer: Seen {}
@objc public class Seen2 { @objc public init() {} ; @objc public subscript(i: Int) -> Int { i } }
public class Child: Viewer { public override func look(at n: Int) -> Int { super.look(at: n) } ; private let p = [Int]() ; @objc private func priv() {} }
private class Hidden: Viewer { override func live() -> Int { 0 } }
public func ask(_ s: any Seen, _ o: AnyObject, _ b: @convention(block) () -> Void) -> Int { s.maybe?(1); b(); return s.look(at: Hidden().look(at: 1)) }
extension Viewer { @objc public func inExtension(_ v: Viewer) {} ; class Nested: Viewer {} }
