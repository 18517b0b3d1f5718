// C++ and blocks: templates, lambdas, operators, thunks, guards, concepts, local names, ABI tags.
namespace std { inline namespace __1 { template <class T> class allocator {}; template <class T> struct char_traits {}; template <class C, class T = char_traits<C>, class A = allocator<C>> class basic_string { public: basic_string(const C *); ~basic_string(); unsigned long size() const; }; using string = basic_string<char>; template <class T, class A = allocator<T>> class vector { public: void push_back(T &&); T *begin() noexcept; }; } using nullptr_t = decltype(nullptr); template <class T> struct initializer_list { const T *p; unsigned long n; }; }
using size_t = unsigned long;
void *operator new(size_t, void *p) noexcept;
namespace app {
enum class Kind : unsigned char { a, b };
struct Base { virtual ~Base(); virtual int run(int) const; virtual Base *clone(); };
struct Other { virtual void other(); virtual ~Other(); };
struct Derived : Base, virtual Other { ~Derived() override; int run(int) const override; Derived *clone() override; void other() override; static int counter; int member; };
Base::~Base() {} int Base::run(int n) const { return n; } Base *Base::clone() { return this; }
void Other::other() {} Other::~Other() {}
Derived::~Derived() {} int Derived::run(int n) const { return n + 1; } Derived *Derived::clone() { return this; } void Derived::other() { counter++; }
int Derived::counter = 3;
template <class T, int N, Kind K = Kind::b> struct Array { T at[N]; T &operator[](int i) { return at[i]; } const T &operator[](int i) const { return at[i]; } template <class U> Array<U, N, K> to() const { return {}; } bool operator==(const Array &) const = default; explicit operator bool() const { return true; } template <class U> operator U *() { return nullptr; } };
template struct Array<int, 3>; template struct Array<const char *, 2, Kind::a>; template Array<double, 3> Array<int, 3>::to<double>() const; 
template <class... T> int count(T &&...t) { return sizeof...(t); }
template <template <class, class> class C, class T> void nest(C<T, std::allocator<T>> &) {}
template <auto V> int value() { return 1; }
template <class T> concept Sized = requires(T t) { t.size(); };
template <Sized T> unsigned long measure(const T &t) { return t.size(); }
template <class T> requires(sizeof(T) > 1) int big(T) { return 2; }
template <class T> auto deduce(T t) -> decltype(t + 1) { return t; }
template <class R, class... A> R call(R (*f)(A...), A... a) { return f(a...); }
template <class C, class R> R get(C &c, R C::*m) { return c.*m; }
template <class C, class R, class... A> R invoke(C &c, R (C::*m)(A...) const, A... a) { return (c.*m)(a...); }
template <bool B, char C, unsigned long long L, int *P, void (*F)()> struct Values { static int f() { return B + C; } };
int target; void function() {}
template struct Values<true, 'x', 18446744073709551615ull, &target, function>; template struct Values<false, -1, 0, nullptr, nullptr>;
auto lambda = [](int a, auto b) mutable { struct Local { int f() { return 1; } }; return Local().f() + a + (int)b + [=] { return a; }(); };
inline int stat() { static int n = target; static Derived d; return n + d.member; }
struct S { S(); S(const S &); S(S &&) noexcept; S &operator=(const S &); S &operator=(S &&); ~S(); int operator()(int, ...); int operator+(S) const; S operator-() const; S &operator++(); S operator++(int); S *operator->(); int operator->*(int); int operator,(int); bool operator<=>(int) const; bool operator!() const; int operator<<(int); int operator>>=(int); static void *operator new(size_t); static void *operator new[](size_t); static void operator delete(void *); static void operator delete[](void *); operator const char *() const; S *operator&(); bool operator&&(S); int operator%=(int) volatile; friend void befriend(S &) {} [[gnu::abi_tag("one", "two")]] int tagged(); };
S::S() {} S::S(const S &) {} S::S(S &&) noexcept {} S::~S() {} S &S::operator=(const S &) { return *this; } S &S::operator=(S &&) { return *this; } int S::operator()(int, ...) { return 1; } int S::operator+(S) const { return 1; } S S::operator-() const { return *this; } S &S::operator++() { return *this; } S S::operator++(int) { return *this; } S *S::operator->() { return this; } int S::operator->*(int) { return 1; } int S::operator,(int) { return 1; } bool S::operator<=>(int) const { return true; } bool S::operator!() const { return true; } int S::operator<<(int) { return 1; } int S::operator>>=(int) { return 1; } void *S::operator new(size_t) { return nullptr; } void *S::operator new[](size_t) { return nullptr; } void S::operator delete(void *) {} void S::operator delete[](void *) {} S::operator const char *() const { return ""; } S *S::operator&() { return this; } bool S::operator&&(S) { return true; } int S::operator%=(int) volatile { return 1; } int S::tagged() { return 2; }
int operator""_deg(unsigned long long v) { return (int)v; } long double operator""_km(long double v) { return v; }
void types(signed char, unsigned char, wchar_t, char8_t, char16_t, char32_t, bool, long, unsigned long, long long, __int128, unsigned __int128, float, double, long double, ...) {}
void types2(int *const *volatile *, const int (&)[3], int (*)[4][5], int &&, void (*(*)(int))(char), int Derived::*, int (Derived::*)(int) const, std::nullptr_t, _Complex float, int *__restrict, decltype(nullptr)) {}
typedef float v4 __attribute__((vector_size(16))); v4 vectors(v4 a, v4 *) { return a; }
int noex(void (*)() noexcept, int (Base::*)() const & noexcept) { return 1; }
namespace { int hidden(int n) { static int k; return k += n; } struct Anon { virtual int f() { return 1; } }; template <class T> T twice(T t) { return t + t; } }
inline namespace v2 { namespace deep::er { int fn(Kind) { return hidden(1) + Anon().f() + twice(2); } } }
thread_local S perThread; S globalS; extern const S constS = S();
union U { int a; float b; U(int); }; U::U(int n) : a(n) {}
int blocks(int n) { int (^b)(int) = ^(int k) { int (^in)(void) = ^{ return k + n; }; return in(); }; static int (^s)(int) = ^(int k) { return k; }; return b(1) + s(2) + [&] { return (^{ return n; })(); }(); }
struct WithBlock { int m; int go() { return (^{ return m; })(); } WithBlock() { m = (^{ return 3; })(); } ~WithBlock() { (^{ m = 1; })(); } template <class T> T t(T x) { return (^{ return x; })(); } };
int (^globalBlock)(int) = ^(int k) { return k; };
std::string text(const std::string &s, std::vector<std::string> &v, std::initializer_list<int>) { v.push_back("x"); nest(v); return s.size() ? "a" : "b"; }
int use() { Derived d; WithBlock w; int n = 0; const char *p = Array<int, 3>().operator const char *(); return count(1, n, "x", d) + value<3>() + value<'c'>() + value<&Derived::member>() + value<&Derived::run>() + value<Kind::a>() + value<true>() + measure(std::string("")) + big(2L) + deduce(1.5f) + call(+[](int a) { return a; }, 3) + get(d, &Derived::member) + invoke(d, &Derived::run, 2) + lambda(1, 2.0) + lambda(1, 'c') + stat() + w.go() + w.t(3L) + blocks(1) + globalBlock(2) + v2::deep::er::fn(Kind::a) + 3_deg + (p != nullptr) + [](auto... xs) { return (xs + ...); }(1, 2, 3) + []<class T, int N>(T (&)[N]) { return N; }(d.member ? *new int[1][3] : *new int[1][3]); }
}
extern "C" int plain(int) { return app::use(); }
