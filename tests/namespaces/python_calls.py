"""How the builtins, their methods and the modules that compute are called: lines as in `numpy_calls`."""

BUILTINS = """
abs: ANY | xs
all any: VEC | xs | [x > 1, n > 1] | [t, False] | () | (a > 1 for a in ns) | {"a": x} | m
ascii repr str: NUM | xs | "a"
bin hex oct: n | 5
bool float int complex: NUM | s | f[0] | u[0] | f | "12" | 2.5
bool-more: =int(x * 3) | =int(y) | =complex(x, n) | =float(n) / 2 | =bool(0 * n) | =int(t) + 1 | =int("12", n)
    | =float("nan") + x
bytes bytearray: n | ns | b"a"
callable: abs | x
chr: n | n + 65
divmod: x, y | n, e | -n, e | i, 2 | f, g | u, 300 | x, e | t, e | n, 0
enumerate: =list(enumerate(f)) | =list(enumerate(xs, n)) | =[i0 * a for i0, a in enumerate(xs)]
eval: "1 + 1"
filter: =list(filter(None, xs)) | =list(filter(lambda a: a > 0, xs)) | =list(filter(None, [0, 1]))
    | =sum(filter(lambda a: a > 0, ns))
float-more: =float(x).is_integer() | =float(n).hex()
format: x | n | x, ".2f" | n, "03d" | 2.5, ".1f"
frozenset set: ns | [1, 2] | [n, n] | =len(set(ns)) | =len({n, 3}) | =n in {1, 3} | =frozenset([1]) | ()
getattr hasattr: f, "shape" | x, "real" | x, "nothing" | f, "nothing"
getattr-more: =getattr(x, "nothing", 2) | =getattr(f, "sum")()
hash: n | x | (n, e) | "a"
id: =id(x) == id(x)
isinstance: x, float | n, int | t, bool | x, (int, float) | f, np.ndarray | xs, list | t, int | c, complex | s, np.floating
    | f, float | n, float
issubclass: bool, int
iter next: =next(iter(xs)) | =next(iter(f)) | =list(iter(xs)) | =next(iter([]), x) | =next(iter(m))
len: VEC | m | xs | d | "abc" | x | ts | s
list tuple: VEC | m | xs | ts | d | range(n) | "ab" | x | zip(xs, ns)
map: =list(map(abs, xs)) | =list(map(lambda a, b0: a + b0, xs, ns)) | =list(map(int, xs)) | =sum(map(float, ns))
    | =list(map(abs, f)) | =list(map(str, ns))
max min: VEC | xs | x, y | n, x | *ns | n, e, 7 | [] | xs, key=abs | ns, default=0 | [], default=x | m | ts | x, n, t
    | u[0], 300 | xs, key=lambda a: -a
max-more: =max((x, 1), (y, 2)) | =min([n, 2], [e, 5]) | =max(f.max(), x) | =min(b[0], 200) | =max("a", "b")
    | =max(f, key=abs) | =max(d) | =max(d.values())
object: =isinstance(object(), object)
ord: "a"
pow: x, 2 | n, e | e, -1 | n, 2, 5 | f, 2 | u, 2 | x, x | y, 0.5 | 0 * n, 0 | c, 2 | 2, n | i, 2 | f, g
print: =print("") or x
range: =list(range(n)) | =list(range(3)) | =sum(range(n)) | =len(range(n)) | =n in range(5) | =range(5)[n]
    | =list(range(n, 0, -1)) | =range(n).stop | =[x for _ in range(e)]
reversed: =list(reversed(f)) | =list(reversed(xs)) | =list(reversed(range(n))) | =list(reversed(d)) | =next(reversed(ts))
round: NUM | x, 1 | f | f, 1 | n, -1 | i | u | s | 2.675, 2 | y | i, -1 | x + 1 | y, n
set-more: =sorted({3, 1}|{2}) | ={n} | =x in {1.5} | =len({x, y}) | ={1, 2} - {1} | =sum({1, 2, n})
slice: =f[slice(1)] | =f[slice(0, 2)] | =xs[slice(1, None)] | =f[slice(n)] | =slice(1, n).stop | =list(range(5))[slice(e)]
sorted: VEC | xs | ns, reverse=True | xs, key=abs | ts | m | [[n, 1], [e, 2]] | [(x, 1), (y, 2)] | d | "ba" | [t, False]
    | xs, key=lambda a: (a > 0, a)
sum: VEC | xs | xs, 10 | [f, g] | m | ns, x | [] | (a * 2 for a in xs) | [[1], [2]], [] | [t, t] | ts, start=n | u, 300 | w
type: x | =type(x) is float | =type(f) is np.ndarray | f | =type(n)(2.5) | =type(xs) is list | =type(t) is bool
    | =type(n) is int | =type(f[0]) is np.float32
vars dir: =len(dir(x)) > 0
zip: =list(zip(f, g)) | =list(zip(xs, ns)) | =dict(zip("ab", xs)) | =list(zip(*[ts, ts]))
    | =[a * b0 for a, b0 in zip(xs, ns)] | =list(zip(m, f)) | =list(zip(xs, ts, strict=True))
dict: =dict(d) | =dict(a=x) | =dict([("a", x)]) | =dict(d, c=n) | ={**d, "c": n} | =d|{"a": n} | =dict.fromkeys("ab", x)
    | =len(d) | =list(d)
setattr delattr: =setattr(f, "name", 1) | =delattr(f, "name")
memoryview: f
globals locals: =len(THIS()) > 0
property staticmethod classmethod super: =callable(THIS)
Ellipsis: =m[..., 0] | =f[...] | =m[Ellipsis, 1]
None: =f[None] | =x is None | =None
True False NotImplemented: =t is THIS | =(x > 1) is THIS
"""

OPERATORS = """
abs neg pos inv invert not_ truth index: ANY | xs
add and_ eq floordiv ge gt iadd iand ifloordiv ilshift imod imul ior ipow irshift isub itruediv ixor le lshift: ONE, TWO
lt mod mul ne or_ pow rshift sub truediv xor: ONE, TWO
eq-more: =xs == xs | =ts < (2.0, 1.0) | =xs < [3.0] | =d == d | =(x, n) == (x, n) | =[x] == [n] | =z < z | =z > 1 | =c < 1
    | =f == None | =f == "a"
add-more: =xs + ns | =xs * 2 | =ts + (n,) | =xs * n | =[1] * n | =f + xs | =xs + f | =f + ts | =u + [300, 1, 1] | =f * "a"
    | =x + "a" | =f @ g | =x @ y
chain: =0 < x < 2 | =n == e == 2 | =x if x > 0 else n | =x and y | =x or y | =not x | =n and 0 | =f.sum() and x | =t and n
mod-more: =-x % 0.5 | =-2.5 % x | =0.0 % y | =-0.0 // x | =0.0 // y | =divmod(-x, 0.5) | =x % 0 | =n // 0 | =n % 0 | =x / 0
    | =f / 0 | =i // 0 | =i % 0 | =u // 0
pow-more: =n ** -1 | =i ** -1 | =i ** 2 | =2 ** n | =x ** 0.5 | =y ** 0.5 | =u ** 2 | =10 ** n | =n ** 20 | =f ** 2
    | =f ** -1 | =b ** 2 | =0 ** n
shift: =n << 40 | =n >> 1 | =n << e | =i << 1 | =u << 1 | =u << 300 | =-n >> 1 | =n >> 40 | =u >> 9 | =1 << n | =n << -1
matmul imatmul: m, m | f, g | m, f | k, m | i, i | f, x | u, u | w, f | np.eye(3), xs
attrgetter: =operator.attrgetter("shape")(m) | =operator.attrgetter("real")(x)
call: abs, x | np.sum, f
concat iconcat: xs, ns | f, g | ts, ts
contains: ONE, TWO | xs, x | ns, n | d, "a" | f, 2.0 | f, x | u, 259 | (1, 2), e | "abc", "a" | range(5), n | m, 3.0 | xs, "a"
countOf indexOf: xs, 2.0 | ns, n | f, 2.0 | (1, 2), e | i, 1 | u, 259 | xs, 9
delitem: =operator.delitem(xs, 0), xs | =operator.delitem(d, "a"), d | =operator.delitem(f, 0)
getitem: f, 0 | f, n | f, -1 | m, 0 | m, (0, 1) | xs, e | d, "a" | f, [0, 2] | f, p | f, slice(1) | m, q | xs, n | f, 7
    | ts, 0 | u, j | m, (j, j) | f, x | f, -e
getitem-more: =xs[-1] | =ns[1:] | =f[::-1] | =m[:, 0] | =m[..., 0] | =m[n - 3] | =m[j] | =m[p] | =m[:, p] | =f[f > 0]
    | =f[e - 1:] | =f[:e] | =f[np.array([0, 2])] | =x[0] | =s[()] | =xs[e]
is_ is_not: x, None | xs, xs | f, f | t, True | n, n
itemgetter: =operator.itemgetter(0)(f) | =operator.itemgetter(0, 2)(xs) | =operator.itemgetter("a")(d)
    | =operator.itemgetter(e)(xs)
length_hint: xs | f | iter(xs)
methodcaller: =operator.methodcaller("sum")(f) | =operator.methodcaller("index", 2.0)(xs)
setitem: f, 0, x | u, 0, 300 | u, 0, -1 | i, 0, 2.5 | m, (0, 1), n | xs, 0, n | d, "c", x | f, slice(2), 1 | f, p, 0
    | m, 0, f | f, j, g | f, n, 1.0 | f, 7, 1.0 | f, [0, 0], [1, 2] | p, 0, 2
augmented: =operator.iadd(xs, ns), xs | =operator.iadd(f, 1), f | =operator.imul(i, x), i | =operator.iadd(u, 300), u
    | =operator.ior({"a": 1}, d) | =operator.itruediv(i, 2), i
beside-lists: =VEC + [1, 2, 3] | =[1.5, 2, x] * VEC | =VEC < [0, 300, n] | =VEC == (3, 250, 7) | =MAT @ [1, 2, 3] | =xs @ MAT
    | =VEC / [1, 2, 4] | =VEC - ns | =VEC ** [0, 1, 2] | =MAT * [[1, 2, 3]] | =VEC != [True, False, True] | =VEC & [1, 2, 3]
    | =(n, e, 1) - VEC | =VEC % [2, 3, -4] | =f + [1, 2] | =f + [] | =f * ["a", "b", "c"] | =s + [1, 2] | =x * [1, 2] | =ts + f
statements: i += 1.5; return i | u += 300; return u | f += i; return f | i += f; return i | p += 1; return p
    | p |= True; return p | u -= 4; return u | b *= 2; return b
assignments: u[0] = 300; return u | u[0] = -1; return u | f[0] = n; return f | i[0] = x; return i | u[0] = n; return u
    | u[:] = 300; return u | m[0] = f; return m
assignments-more: m[0, 0] += x; return m | u[0] += 300; return u | f[1:] *= 2; return f | i[0] += x; return i
    | m[:, 0] = 0; return m | f[f > 0] = 0; return f
assignments-last: f[[0, 0]] += 1; return f | m[q] += 1; return m | b[0] = 200; return b | u[0] += n; return u
    | xs[e] = n; return xs | f[5] = 1; return f | p[0] = x; return p | u[p] = 300; return u
unpacking: a0, *rest = f; return a0, rest | a0, b0, c0 = m; return b0 | a0, b0 = ts; return a0 - b0 | a0, b0 = f; return a0
    | (a0, b0), c0 = ts, n; return a0 + c0
formatted: return f"{x}" | return f"{n:03d}" | return "%d" % n | return "{}".format(x) | return str(x) + "a"
    | return f"{len(f)}" | return f"{f.shape}"
"""

MATH = """
acos asin atanh: x | 0.5 * t | -0.5 * t | n | y
acosh asinh atan cbrt cos cosh degrees erf erfc exp exp2 expm1 fabs gamma lgamma log1p radians sin sinh tan tanh ulp: NUM
    | y | s | f[1] | f | 1000 * n | 0 * x
ceil floor trunc frexp modf isfinite isinf isnan sqrt log log10 log2: NUM | y | s | i[0] | f | 0 * x | v[1]
log-more: =math.log(x, 2) | =math.log(n, e) | =math.log(8, e) | =math.log(x, n)
atan2 copysign fmod nextafter pow remainder hypot: x, y | n, e | x, n | y, e | -0.0, x | x, 0 | s, x
comb perm: n, e | n, 0 | 5, e | e, n | n, -1 | x, 1
perm-more: =math.perm(n) | =math.hypot(x, y, n) | =math.hypot(x) | =math.nextafter(x, 2) | =math.pow(y, 0.5)
dist: xs, ns | f, g | ts, (1, n)
e pi tau inf nan: =math.THIS * x | =x < math.THIS | =math.THIS + f
factorial isqrt: n | 0 * n | -n | x | 5 | t
fsum prod: xs | ns | f | m[0] | ts | u | [] | [x, n] | (a for a in xs)
prod-more: =math.prod(ns, start=x) | =math.prod(xs, start=n) | =math.prod([t, t])
gcd lcm: n, e | 12, n | n | n, e, 5 | x, 2 | -n, 6 | 0, n | t, n
isclose: x, 1.5 | x, y | x, n, rel_tol=0.5 | n, e, abs_tol=1 | x, y, rel_tol=x
ldexp: x, 2 | x, n | 1.0, e | n, e
"""

ITERTOOLS = """
accumulate: =list(itertools.accumulate(xs)) | =list(itertools.accumulate(f)) | =list(itertools.accumulate(ns, operator.mul))
    | =list(itertools.accumulate(xs, max, initial=x))
chain: =list(itertools.chain(xs, ns)) | =list(itertools.chain.from_iterable([xs, ts])) | =list(itertools.chain(f, g))
    | =sum(itertools.chain(xs, [n]))
combinations combinations_with_replacement permutations: =list(itertools.THIS(xs, 2)) | =list(itertools.THIS(f, 2))
    | =[a * b0 for a, b0 in itertools.THIS(ns, 2)]
compress: =list(itertools.compress(xs, [1, 0, 1])) | =list(itertools.compress(xs, [x > 1, 0, 1]))
    | =list(itertools.compress(f, p))
count: =next(itertools.count(n)) | =list(zip(itertools.count(n, e), xs))
    | =[a * x for a in itertools.islice(itertools.count(), 3)]
cycle: =list(itertools.islice(itertools.cycle(xs), 5)) | =[a for a, _ in zip(itertools.cycle(f), range(4))]
dropwhile takewhile filterfalse: =list(itertools.THIS(lambda a: a > 0, xs))
    | =list(itertools.THIS(lambda a: a > 1, [2, 1, 2])) | =sum(itertools.THIS(lambda a: a > 0, ns))
groupby: =[(a, list(b0)) for a, b0 in itertools.groupby([1, 1, 2])] | =[a for a, _ in itertools.groupby(ns)]
    | =[len(list(b0)) for _, b0 in itertools.groupby(xs, lambda a: a > 0)]
islice: =list(itertools.islice(xs, 2)) | =list(itertools.islice(f, 1, 3)) | =list(itertools.islice(xs, e))
    | =list(itertools.islice(range(9), 0, n, e))
pairwise: =[a - b0 for a, b0 in itertools.pairwise(xs)] | =list(itertools.pairwise(f))
product: =[a * b0 for a, b0 in itertools.product(xs, ns)] | =list(itertools.product([x, 1], repeat=2))
    | =list(itertools.product(f, f))
repeat: =list(itertools.repeat(x, 3)) | =list(itertools.repeat(f, 2)) | =list(itertools.repeat(1, n))
    | =list(map(pow, xs, itertools.repeat(2)))
starmap: =list(itertools.starmap(pow, [(x, 2), (n, 2)])) | =list(itertools.starmap(max, zip(xs, ns)))
    | =list(itertools.starmap(lambda a, b0: a * b0, zip(f, g)))
tee: =[list(a) for a in itertools.tee(xs)] | =list(zip(*itertools.tee(f)))
zip_longest: =list(itertools.zip_longest(xs, ts, fillvalue=n)) | =list(itertools.zip_longest(f, ts, fillvalue=0))
"""

FUNCTOOLS = """
reduce: operator.add, xs | operator.mul, f | lambda a, b0: a + b0, ns, x | max, xs | np.maximum, [f, g] | np.add, [f, g]
    | operator.iadd, [xs, ns] | operator.iadd, [f, g] | math.gcd, ns
partial: =functools.partial(pow, x)(2) | =functools.partial(np.sum, axis=0)(m) | =functools.partial(max, n)(e)
    | =functools.partial(int, base=2)("11")
cmp_to_key: =sorted(xs, key=functools.cmp_to_key(lambda a, b0: (a > b0) - (a < b0)))
    | =max(xs, key=functools.cmp_to_key(lambda a, b0: a - b0))
    | =sorted([2, 1], key=functools.cmp_to_key(lambda a, b0: a - b0))
cache lru_cache: =functools.THIS(lambda a: a + 1)(x) | =functools.THIS(lambda a: a + 1)(2) + n | =functools.THIS(lambda: [1])()
singledispatch: =functools.singledispatch(lambda a: a + 1)(x)
wraps update_wrapper: =functools.wraps(abs)(lambda a: a + 1)(x)
"""

STATISTICS = """
fmean mean median median_high median_low pstdev pvariance stdev variance mode multimode geometric_mean harmonic_mean: xs
    | ns | f | [x, n] | i | [1, 2, 2] | np.abs(f) | [] | (a for a in xs)
fmean-more: =statistics.fmean(xs, [1, 2, n]) | =statistics.harmonic_mean([1, 2], [1, e]) | =statistics.pvariance(xs, x)
    | =statistics.stdev(xs, xbar=x)
median_grouped: xs | ns
correlation covariance linear_regression: xs, ns | f, g | xs, [1, 2, 4]
linear_regression-more: =statistics.linear_regression(xs, ns).slope
    | =statistics.linear_regression(xs, ns, proportional=True).slope
quantiles: xs | f | xs, n=3 | xs, method="inclusive" | ns, n=n
NormalDist: =statistics.NormalDist(x, 2.0).mean | =statistics.NormalDist(0, 1).cdf(x) | =statistics.NormalDist(x, e).pdf(1)
    | =statistics.NormalDist.from_samples(xs).mean
LinearRegression: =statistics.LinearRegression(x, y).slope
"""

HEAPQ = """
heapify_max: =heapq.heapify_max(xs), xs | h = [3, n]; heapq.heapify_max(h); return h
heapify: =heapq.heapify(xs), xs | =heapq.heapify(ns), ns | h = [3, n]; heapq.heapify(h); return h
heappop heappop_max: =heapq.THIS(xs), xs | =heapq.THIS([1, n, 9])
heappush heappushpop heapreplace heappush_max heappushpop_max heapreplace_max: =heapq.THIS(xs, x), xs
    | h = [1, 5, 9]; heapq.THIS(h, n); return h
    | h = [(1, x)]; heapq.THIS(h, (2, y)); return h
merge: =list(heapq.merge([1, 3], [2, n])) | =list(heapq.merge(xs, ns)) | =list(heapq.merge([1, 3], [2]))
nlargest nsmallest: 2, xs | 2, f | 1, ns, key=abs | e, xs | 2, [n, 1, e] | 2, u | 2, ts
"""

LIST_METHODS = """
append: xs: n | [1]: x | xs: f
clear copy reverse: xs: | [1,n]:
count: xs: 2.0 | ns: n | [1,2]: e | [f]: f
extend: xs: ns | xs: f | [1]: (x,) | xs: range(n)
index: xs: -1.5 | ns: n | [1,2,3]: e | xs: 9.0 | [1,2]: n | xs: -1.5, 1
insert: xs: 0, n | xs: -1, x | xs: n, x | [1]: e, x
pop: xs: | xs: 0 | [1,2,3]: e | []: | xs: -1 | xs: n
remove: xs: 2.0 | ns: n | [1,2,3]: e | xs: 9.0
sort: xs: | ns: reverse=True | xs: key=abs | [x,n]: | [(x,1),(y,2)]: | [2,1]: | [[n],[e]]: | xs: key=lambda a: -a
"""

DICT_METHODS = """
clear copy items keys values popitem: d: | {"a":x}:
fromkeys: dict: "ab" | dict: "ab", x | dict: [1, 2], 0
get pop setdefault: d: "a" | d: "z" | d: "z", x | {1:x}: n | {3:x}: n, y | {}: "a", n
update: d: {"a": x} | d: c=n | d: [("a", n)] | {}: d
items-more: =[a + b0 for a, b0 in d.items()] | =list(d.items()) | =list(d.values()) | =sum(d.values())
    | ={a: b0 * 2 for a, b0 in d.items()} | =list(d.keys()) | =max(d, key=d.get)
"""

SET_METHODS = """
add discard: {1,2}: 2 | {1,2}: n | {1}: x
remove: {1,2}: 2 | {1,2}: e | {1}: 7
clear copy: {1,2}: | {1,n}:
difference intersection symmetric_difference union issubset issuperset isdisjoint: {1,2}: [2] | {1,2}: {n} | {1,2}: ns
    | {n}: {3}
difference_update intersection_update symmetric_difference_update update: {1,2}: [2] | {1,2}: [n]
add-more: a = {1, 2}; a.add(3); return sorted(a) | a = {1, 2}; a.add(n); return len(a)
    | a = {1, 2}; a.discard(n); return n in a | a = {1, 2}; return sum(b0 * x for b0 in sorted(a))
pop: {1}: | {n}:
"""

TUPLE_METHODS = """
count index: ts: 2.0 | ts: x | (1,2,3): e | (1,2): 2 | ts: 9.0 | (n,e): 2
"""

STR_METHODS = """
capitalize casefold encode isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable: "Ab1":
    | str(n):
isspace istitle isupper lower lstrip rstrip strip swapcase title upper split splitlines rsplit expandtabs: "Ab1": | str(n):
center ljust rjust: "ab": 5 | "ab": n | str(n): 5
zfill: "7": 3 | str(n): 3 | "7": n
count endswith find index partition removeprefix removesuffix rfind rindex rpartition startswith: "abab": "b" | str(n): "3"
format: "{}": x | "{:.2f}": x | "{:d}": n | "{}": 2 | "{a}": a=x | "{}": f
format_map: "{a}": d
join: ",": ["a", "b"] | ",": [str(n), "a"] | "": map(str, ns)
replace: "abab": "a", "b" | "abab": "a", str(n) | "aaa": "a", "b", e
maketrans translate: "ab": {97: "b"}
"""

NUMBER_METHODS = {
    "int": """
as_integer_ratio bit_count bit_length conjugate is_integer: n: | (-n): | i[0]:
denominator imag numerator real: =n.THIS | =t.THIS | =i[0].THIS | =(n + 1).THIS
from_bytes: int: b"ab", "big"
to_bytes: n: 2, "big"
""",
    "float": """
as_integer_ratio conjugate hex is_integer: x: | (2.0*x): | s: | f[0]:
fromhex: float: "0x1p3"
from_number: float: 2 | float: n
imag real: =x.THIS | =s.THIS | =(x + 1).THIS
""",
    "complex": """
conjugate: c: | z[0]:
from_number: complex: 2 | complex: x
imag real: =c.THIS | =(c * x).THIS | =z[0].THIS
""",
    "bool": """
as_integer_ratio bit_count bit_length conjugate is_integer: t: | (x>1):
denominator imag numerator real: =t.THIS | =(x > 1).THIS
from_bytes: bool: b"a", "big"
to_bytes: t: 1, "big"
bit_count-more: =~t | =abs(t) | =+t | =-t | =t + t | =t * 2 | =t == 1 | =t & True | =t ^ t | =t / 2 | =t // 2 | =t % 2
    | =t ** 2 | =t << 1 | =int(t) | =t < 2 | =sum([t, t]) | =t|n
""",
}
