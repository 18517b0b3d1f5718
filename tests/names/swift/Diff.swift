// Differentiable programming.
import _Differentiation

public struct Vector2: Differentiable, AdditiveArithmetic { public var a: Float, b: Float ; public static var zero: Vector2 { .init(a: 0, b: 0) } ; public static func + (l: Self, r: Self) -> Self { .init(a: l.a + r.a, b: l.b + r.b) } ; public static func - (l: Self, r: Self) -> Self { .init(a: l.a - r.a, b: l.b - r.b) } }
@differentiable(reverse) public func square(_ x: Float) -> Float { x * x }
@differentiable(reverse, wrt: x) public func scaled(_ x: Float, by k: Float) -> Float { x > 2 ? x * k : x }
@differentiable(reverse) public func norm(_ v: Vector2) -> Float { square(v.a) + square(v.b) }
@differentiable(reverse where T: Differentiable) public func ident<T>(_ t: T) -> T { t }
public func cube(_ x: Float) -> Float { x * x * x }
@derivative(of: cube) public func vjpCube(_ x: Float) -> (value: Float, pullback: (Float) -> Float) { (cube(x), { 3 * x * x * $0 }) }
@derivative(of: cube) public func jvpCube(_ x: Float) -> (value: Float, differential: (Float) -> Float) { (cube(x), { 3 * x * x * $0 }) }
@_silgen_name("take") public func take(_ f: @differentiable(reverse) (Float) -> Float, _ g: @differentiable(reverse) (Vector2, @noDerivative Int) -> Float) -> Float
public struct Layer: Differentiable { public var w: Float; @noDerivative public var n = 1; @differentiable(reverse) public func callAsFunction(_ x: Float) -> Float { var y = x; for _ in 0..<n { y = y * w }; return y } ; @differentiable(reverse) public var doubled: Float { w * 2 } }
public protocol Model1: Differentiable { @differentiable(reverse) func run(_ x: Float) -> Float }
extension Layer: Model1 { @differentiable(reverse) public func run(_ x: Float) -> Float { self(x) } }
