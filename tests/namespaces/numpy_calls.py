"""How the functions of NumPy are called: a line for each group of names, with the arguments of each call.

The words in capitals are those of `arguments`. A call that begins with `=` is a whole expression.
Optional parameters are not here: `parameters` has them, by their own names.
"""

FUNCTIONS = """
all any amax amin max min argmax argmin argwhere around cumprod cumsum flatnonzero mean nonzero prod ptp round sum std var: ANY
angle fix imag real isneginf isposinf iscomplex iscomplexobj isreal isrealobj nan_to_num real_if_close sinc i0: ANY
count_nonzero sort argsort sort_complex copy size ndim shape isscalar iterable isfortran asfortranarray: ANY
asanyarray asarray ascontiguousarray asarray_chkfinite array require: ANY | [x, n] | xs | [m, m] | [u, 300] | (x, 2.0)
atleast_1d atleast_2d atleast_3d: ANY | m, f | xs
fliplr flipud matrix_transpose triu tril diag_indices_from tril_indices_from triu_indices_from: MAT | f | q
transpose permute_dims: ANY | k, (1, 0)
flip: ANY | m, (0, 1)
diag diagflat: VEC | m | w | f, 1
diagonal trace: MAT | k, 1 | m, -1
diff ediff1d: VEC | m | w
ravel squeeze: ANY | m[None]
trim_zeros: f | i | p | np.array([0, n, 0])
unique unique_all unique_counts unique_inverse unique_values: VEC | m
unwrap: f | m
gradient: f | i | m | f, 2.0 | m, 1.0, 2.0 | u
nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanprod nanstd nansum nanvar: v | FEW | i | p | z
    | v * np.nan
median: REAL | v | z
average: ANY
allclose isclose array_equal array_equiv: ONE, TWO | v, v
outer inner dot vdot kron: ONE, TWO | m, m | k, f
append: ANY, 1.5 | VEC, 300 | u, -1 | m, f | f, xs | f, n
apply_along_axis: np.sum, 0, FEW | np.sort, 1, m | lambda a: a * 2, 0, m
apply_over_axes: np.sum, FEW, [0]
arange: n | 3 | 0, 3, e | x | 0.0, x, 0.5 | 5, dtype=np.uint8 | 0, n
argpartition partition: REAL, 1 | f, (0, 1) | m, 1, 0
array_split: VEC, 2 | m, [1] | k, 2, 1
hsplit: f, 3 | m, [1, 2] | k, 3
vsplit: m, 3 | k, [1]
dsplit: m[None], 3
split: f, 3 | f, [1] | k, 2 | w, [1, 2], 1
unstack: VEC | m | k
array_str array_repr: f
astype: VEC, np.float32 | VEC, np.int32 | VEC, np.uint8 | f, bool | f, complex | m, "float32" | x, np.int32
bartlett blackman hamming hanning: 5 | n
kaiser: 5, 2.0 | n, 2.0
bincount: j | u | n | np.abs(i) | p | i
block: [f, i] | [[m, m], [m, m]] | [x, n] | [[f], [i]]
broadcast_arrays: m, f | f, x | i, np.array([[1], [2]]) | x, n
broadcast_shapes: (3,), (2, 1) | f.shape, m.shape
broadcast_to: FEW, (3, 3) | x, (2,) | f, (2, 3) | n, 3
can_cast: np.float32, np.int32 | f.dtype, np.int8
choose: j, [f, i, g] | [0, 1, 0], [f, g] | p.astype(int), [u, 300] | j, (10, 20, 30) | j, m
clip: ANY, 0, 2 | u, 0, 300 | u, -1, 10 | b, -1, 255 | i, 0.5, 2.5 | f, i, None | f, None, 1 | f, min=0 | x, 0, 1
    | u, n, 300 | f, g, 1
column_stack dstack hstack vstack row_stack: (f, i) | [f, f] | (m, m) | (x, n) | [m, u] | m | (u, [300, 1, 2])
concat concatenate: (f, i) | [f, xs] | (m, m) | [u, u] | (u, b) | [u, [300]] | (k, k) | m | [p, p]
stack: (f, i) | [f, f] | (m, m) | (x, n) | m | [u, b]
common_type: f | f, m | i
mintypecode: ["f", "d"]
compress: [True, False, True], FEW | p, f | p, m, 0 | [1, 0], k, 0
extract: [True, False, True], f | p, i | m > 0, m
convolve correlate: f, g | f, i | i, j | u, u | p, p | f, [1.0, 2.0] | z, f
copyto: FEW, 1 | f, g | f, i | i, f | u, 300 | m, f | p, 2 | u, x
corrcoef cov: f | m | k | f, g | u | w
cross: f, g | i, j | u, u | m, f | m, m | f[:2], g[:2]
cumulative_prod cumulative_sum: VEC | s
delete: VEC, 1 | f, [0, 2] | m, 0, 0 | m, slice(0, 2), 1 | f, n | f, -1 | f, [True, False, False] | f, 7
diag_indices: 2 | n
digitize: f, [0, 1] | REAL, [-1, 0, 2] | u, [0, 300] | x, xs | f, np.sort(g) | f, [2, 1, 0]
searchsorted: np.sort(f), g | [1, 2, 3], REAL | np.sort(u), 300 | np.sort(u), -1 | xs, x | np.sort(i), x
einsum: "i->", f | "i,i->", f, g | "ij->ji", m | "ij,j", m, f | "ii", m | "i,i", u, u | "ij,jk->ik", m, m | "i,j->ij", i, f
    | "i", p
einsum_path: "i,i->", f, g
empty empty_like: =np.empty(3).shape | =np.empty_like(m).dtype == m.dtype | =np.empty((2, n)).size
    | =np.empty_like(u, shape=(2,)).shape
zeros ones: 3 | (2, 3) | n | f.shape | (2,), np.uint8 | 3, int
full: 3, 1 | (2,), x | 3, n | 3, 300, np.uint8 | (2,), x, np.int32 | f.shape, t | 2, c | 2, xs[:2] | n, 1
zeros_like ones_like: ANY | xs
full_like: ANY, 1 | u, 300 | u, -1 | i, 2.5 | f, n | u, x | f, g | p, 2 | u, n
expand_dims: ANY, 0 | m, (0, 1) | f, -1 | f, 5
eye identity tri: 3 | n | 2, dtype=np.uint8
fill_diagonal: m, 0 | m, x | k, 1 | w, 300 | m, f | q, False | k, 2.5
fromfunction: lambda a, b: a * 2 + b, (2, 3) | lambda a: a + x, (3,), dtype=np.int32
fromiter: (x * a for a in range(3)), np.float32 | [x, n], float | xs, np.float32
frompyfunc: lambda a: a + 1, 1, 1 | =np.frompyfunc(lambda a, b: a * b, 2, 1)(f, 2)
vectorize: =np.vectorize(lambda a: a * 2)(f) | =np.vectorize(lambda a, b: a if a > b else b)(f, x) | =np.vectorize(max)(i, 0)
piecewise: f, [f < 0, f >= 0], [-1, 1] | f, [f < 0], [lambda a: -a, 0] | i, [i > 1], [2.5] | u, [u > 5], [300, 0]
    | x, [x > 0], [1, 2]
geomspace logspace: 1, 8, 4 | 1, x, 3 | 1.0, 2.0, num=n | u, 2, 3
linspace: 0, 1, 5 | 0, x, 4 | 0, n, 4 | f, g, 3 | 0, 1, n | u, 300, 3 | 1, 2, endpoint=False | i, 3, 2
histogram: FEW | f, 3 | i, [-2, 0, 1, 3] | u, 4 | x | f, 3, (-2, 2) | f, 3, weights=g | p
histogram_bin_edges: f | i, 4 | u, 3 | f, "auto"
histogram2d: f, g, 2 | i, j, [2, 3]
histogramdd: m, 2 | (f, g), 2
indices: (2, 3) | f.shape | (n,)
insert: VEC, 1, 2 | f, [0, 2], x | m, 1, f, 0 | f, n, 1.0 | u, 0, 300 | i, 1, 2.5 | f, 0, [1, 2]
interp: x, [0, 1, 2], [1.0, 3.0, 5.0] | f, [0, 1, 2], xs | REAL, np.sort(f), g | 1.5, np.sort(f), f | u, [0, 300], [0, 1]
intersect1d setdiff1d setxor1d union1d: f, g | i, j | u, u | i, [1, 3] | u, [300, 3]
isin: f, g | i, [1, 3] | u, [300, 3] | u, [-1, 259] | b, 200 | x, xs | p, [True] | n, ns | u, n | u, i
issubdtype: f.dtype, np.floating | np.int32, np.integer
isdtype: f.dtype, "integral" | f.dtype, np.float32
ix_: [0, 1], [1] | j, [0] | p, [0]
lexsort: (f, g) | [i, j] | m | (f,)
mask_indices: 3, np.triu
may_share_memory shares_memory: f, f | f, g | m, m[0] | m, m[[0]]
meshgrid: f, g | f, i, [1.0] | f | x, f | f, g, indexing="ij" | f, g, sparse=True
min_scalar_type: 300 | f | n
promote_types: np.uint8, np.int8 | f.dtype, i.dtype
result_type: f, i | u, 300 | f.dtype, 2.0 | x, n | u, n
moveaxis: m, 0, 1 | k, -1, 0 | m, [0, 1], [1, 0] | f, 0, 0
rollaxis: m, 1 | k, 1, 0
swapaxes: m, 0, 1 | k, -1, 0 | f, 0, 0
packbits: p | u | q | i
unpackbits: u | w | i
pad: VEC, 1 | f, (1, 2) | m, 1 | m, ((1, 0), (0, 2)) | f, 1, "edge" | f, 1, "reflect" | f, 2, "wrap" | u, 1, constant_values=300
pad-modes: =np.pad(f, 1, "mean") | =np.pad(f, 1, "maximum") | =np.pad(i, 1, "linear_ramp") | =np.pad(f, 1, constant_values=x)
percentile nanpercentile: REAL, 50 | f, [25, 75] | v, 30 | f, x | f, 130 | m, 40, 0 | p, 50 | z, 50
quantile nanquantile: REAL, 0.5 | f, [0.25, 0.75] | v, 0.3 | f, 1.3 | m, 0.4, 0 | i, 0.4 | p, 0.5
place: f, [True, False, True], [1, 2] | f, f < 0, 0 | i, i < 0, [2.5] | u, p, [300] | m, m > 1, f
put: f, [0, 2], [1, 2] | f, 1, x | i, 0, 2.5 | u, [0], 300 | m, [0, 4], 9 | f, 7, 1 | f, n, 1 | f, e, 1
putmask: f, f < 0, 0 | f, p, g | i, p, 2.5 | u, p, 300 | m, m > 1, 0 | f, [True, False, True], [1, 2]
put_along_axis: f, j, 9, 0 | m, np.array([[0], [1], [2]]), 1.0, 1 | i, j, 2.5, 0 | u, j, 300, 0
take_along_axis: f, j, 0 | m, np.array([[0], [1], [2]]), 1 | u, j, 0 | m, np.argsort(m), -1 | f, j
take: VEC, [0, 2] | f, 1 | m, [0, 1], 0 | f, j | f, n | f, -1 | f, 7 | m, 4 | f, [7], mode="clip" | f, [7], mode="wrap"
    | [1, 2, 3], e
poly roots: f | [1, -3, 2] | [1, x, 2] | i | np.array([1.0, 0.0, 1.0])
polyadd polysub polymul polydiv: f, g | f, [1, 2] | [1, 2], [3, x] | i, i | u, u | f[:2], f
polyder polyint: f | [1, 2, 3] | i | u | f, 2 | [x, n, 1]
polyfit: f, g, 1 | [0, 1, 2], f, 2 | i, f, 1
polyval: f, 2 | [1, 2], x | f, g | i, i | [1, 2, 3], n | u, 2 | f, m
ravel_multi_index: (1, 2), (3, 4) | (j, j), (3, 3) | (n, 1), (4, 4) | (e, 7), (3, 3)
unravel_index: 4, (2, 3) | j, (2, 3) | n, (2, 3) | 9, (2, 3) | [9], (2, 3) | i, (2, 3)
repeat: VEC, 2 | f, [1, 2, 0] | f, j | m, 2, 0 | x, 3 | m, [1, 2, 3], 1 | f, n
tile: VEC, 2 | m, (1, 2) | x, 3 | f, (2, 1) | f, n
reshape: VEC, (3, 1) | m, 9 | m, -1 | k, (3, 2) | x, (1, 1) | m, (1, -1) | m, 9, "F" | k, (3, 2), "F" | f, (2, 2) | f, n
resize: f, (2, 3) | f, 2 | m, 4 | u, 5
roll: VEC, 1 | m, 1 | m, 1, 0 | m, (1, 2), (0, 1) | f, n | f, -1 | k, [1, 1], [0, 1]
rot90: m | k | w, 2 | m, -1 | k, 1, (1, 0) | m, n
select: [f < 0, f > 1], [f, -f] | [f < 0], [0], x | [p], [i], 2.5 | [p], [u], 300 | [x > 1, x < 0], [1, 2] | [p], [u], -1
tensordot: m, m | m, f, 1 | f, g, 0 | f, g, 1 | m, m, ((0,), (1,)) | k, m, 1 | i, i, 1
trapezoid: f | f, g | m | i | u | f, dx=x | p
tril_indices triu_indices: 3 | 3, 1 | n | 2, m=3
vander: f | i, 2 | u | f, 3, True
where: ANY, 1, 0 | p, f, g | p, i, x | p, u, 300 | f > 0, f, 0 | u < 300, 1, 0 | u > -1, u, 0 | b > 200, 1, 0 | x > 0, x, y
    | VEC | p, x, n
where-more: =np.where(p, n, 2) | =np.where(p, t, False) | =np.where(t, n, x) | =np.where(q, m, f)
    | =np.where([True, False, True], f, g)
finfo: f.dtype | =np.finfo(np.float32).eps | =np.finfo(f.dtype).max + x
iinfo: =np.iinfo(u.dtype).max | =np.iinfo(np.int32).min
ndenumerate: =[a[1] for a in np.ndenumerate(f)] | =[a for a in np.ndenumerate(k)]
    | =sum(a * i0[0] for i0, a in np.ndenumerate(f))
ndindex: =[a for a in np.ndindex(2, 2)] | =[m[a] for a in np.ndindex(m.shape)] | =[f[a] for a in np.ndindex(n)]
nditer: =[a + 1 for a in np.nditer(f)] | =[a for a in np.nditer(m)]
flatiter: =type(f.flat) is np.flatiter
broadcast: =np.broadcast(f, m).shape | =np.broadcast(f, 1).size | =[a + b for a, b in np.broadcast(f, i)]
dtype: "float32" | f.dtype | =np.dtype(u.dtype).itemsize | =f.dtype == np.dtype("float32") | =np.dtype(np.int8).name
errstate: =np.errstate(all="ignore") and x
poly1d: =np.poly1d([1, x])(2) | =np.poly1d(f)(x) | =np.poly1d([1, 2, 3]).deriv()(x)
matrix asmatrix bmat: =np.matrix([[1, x], [2, 3]]) | =np.asmatrix(m) * 2 | =np.matrix([[1, 2], [3, 4]]) * x
ndarray: =isinstance(f, np.ndarray) | =np.ndarray((2,), np.float32).shape | =isinstance(x, np.ndarray)
    | =type(f) is np.ndarray | =np.ndarray.sum(f)
ufunc: =isinstance(np.add, np.ufunc)
generic number integer inexact floating complexfloating signedinteger unsignedinteger: =isinstance(f[0], np.THIS)
    | =isinstance(u[0], np.THIS)
generic-more: =isinstance(z[0], np.number) | =np.issubdtype(u.dtype, np.integer) | =isinstance(s, np.floating)
    | =isinstance(x, np.number)
bool bool_ byte cdouble complex128 complex64 csingle double float16 float32 float64 half single: ANY | 300 | xs | 2.5
int16 int32 int64 int8 int_ intc intp long longlong short ubyte uint uint16 uint32 uint64 uint8 uintc uintp ulong ulonglong: ANY
    | 300 | -1 | y | v
ushort: ANY | 300 | -1 | y | v
int8-more: =isinstance(u[0], np.uint8) | =u.dtype == np.uint8 | =np.uint8(n) + 250 | =np.int8(n) + 127 | =np.float32(x) * 2
    | =np.uint8(n) - 4
False_ True_: =np.THIS & t | =p == np.THIS | =np.THIS + n
pi e euler_gamma inf: =np.THIS * x | =f + np.THIS
nan: =f + np.nan | =x == np.nan
newaxis: =f[:, np.newaxis] | =f[np.newaxis, :, None] | =m[np.newaxis, 0]
c_ r_: =np.THIS[f, g] | =np.THIS[f, x] | =np.THIS[1:4, f] | =np.THIS[x, n] | =np.THIS[u, 300] | =np.THIS[m, m]
    | =np.THIS[-1:1:3j]
s_ index_exp: =f[np.THIS[1:]] | =m[np.THIS[0, 1:]]
mgrid ogrid: =np.THIS[0:2, 0:3] | =np.THIS[0:1:3j] | =np.THIS[0:2] + x
"""

LINALG = """
cholesky: m @ m.T + np.eye(3, dtype=np.float32) * 9 | np.eye(2) * x | np.array([[4, 2], [2, 3]]) * n | -np.eye(2) * x
cond det inv pinv slogdet matrix_rank svdvals eigvals eigvalsh: m | m @ m.T | np.array([[2, 1], [1, 3]]) * n | q
cond-more: =np.linalg.cond(m, 1) | =np.linalg.cond(m, "fro") | =np.linalg.inv(np.zeros((2, 2)) * x) | =np.linalg.det(k)
    | =np.linalg.inv(k)
eig eigh: =np.linalg.THIS(m @ m.T)[0] | =np.abs(np.linalg.THIS(m @ m.T)[1]) | =np.linalg.THIS(np.array([[2, 1], [1, 3]]) * n)[0]
eigh-more: =np.linalg.eigh(m)[0] | =np.linalg.eigh(m, "U")[0] | =np.linalg.eigvals(m + m.T) | =np.linalg.eigvalsh(m, "U")
    | =np.linalg.eig(m)[0]
qr svd: =np.abs(np.linalg.THIS(m)[0]) | =np.abs(np.linalg.THIS(k)[1]) | =np.abs(np.linalg.THIS(k * 1.0)[0])
    | =[a.shape for a in np.linalg.THIS(k.T)]
qr-more: =np.abs(np.linalg.qr(m, mode="r")) | =np.linalg.svd(k, full_matrices=False)[1]
    | =np.linalg.svd(m, compute_uv=False) | =np.linalg.svd(m, hermitian=True)[1]
eig-named: =np.linalg.eigh(m + m.T).eigenvalues | =np.linalg.svd(m).S | =np.linalg.slogdet(m).sign
    | =np.abs(np.linalg.qr(m).R) | =np.linalg.eig(m).eigenvalues
cross: f, g | m, m | i, j
diagonal trace matrix_transpose: MAT | q | m[None]
matmul: m, m | m, k.T | w, w.T | k, m | q, q | m, f
outer: f, g | i, f | u, u
lstsq: m, f | k * 1.0, f[:2] | m, m
matrix_norm: m | k | w | m, ord=1 | m, ord="nuc" | m, keepdims=True
vector_norm: ANY | f, ord=1 | f, ord=np.inf | m, axis=0
norm: ANY | f, 1 | f, np.inf | m, "fro" | m, 2 | m, axis=0 | f, 0 | f, 3 | m, -np.inf | xs | u, np.inf
matrix_power: m, 2 | m, 0 | m, -1 | k @ k.T, 3 | w @ w.T, 2 | m, n | q, 2
multi_dot: [m, m, f] | (f, m, m) | [k, m]
solve: m, f | m, m | np.array([[2, 1], [1, 3]]), xs[:2] | np.zeros((2, 2)) * x, xs[:2] | m, i
tensordot: m, m, 1 | f, g, 1
tensorinv: np.eye(4).reshape(2, 2, 2, 2) * x, 2
tensorsolve: m, f
vecdot: f, g | z, z | m, f | i, j | u, u
"""

FFT = """
fft ifft hfft: FEW | i | z | f, 4
rfft ihfft: f | i | u | f, 4
irfft: z | f
fft2 ifft2 fftn ifftn: m | k
rfft2 rfftn: m | k
irfft2 irfftn: m
fftfreq rfftfreq: 4 | 4, x | n
fftshift ifftshift: VEC | m
"""

ATTRIBUTES = "T base data device dtype flags flat imag itemsize mT nbytes ndim real shape size strides ctypes".split()
"""Attributes of an array: each is read, and some are used."""

ATTRIBUTE_USES = """
T: m.T[0] | m.T + f | k.T.shape
base: f.base is None | m[0].base is m | (f + 1).base is None
dtype: f.dtype == np.float32 | f.dtype.kind | u.dtype.itemsize | u.dtype.name | f.dtype.type(x) | f.dtype is i.dtype
flags: m.flags.c_contiguous | m.T.flags["C_CONTIGUOUS"] | f.flags.writeable | m.flags.f_contiguous
flat: m.flat[4] | list(f.flat) | [a + 1 for a in m.flat] | m.flat[1:3] | m.flat[[0, 1]] | sum(m.flat) | m.flat.copy()
    | next(iter(m.flat)) | len(m.flat)
imag: z.imag + 1 | f.imag | u.imag
real: z.real + 1 | f.real | u.real
shape: f.shape[0] * x | len(m.shape) | m.shape == (3, 3)
size: f.size * x | m.size // 2
strides: m.strides | m.T.strides | f.strides[0]
nbytes: f.nbytes + n
"""

METHODS = """
all any argmax argmin argsort conj conjugate copy cumprod cumsum flatten max mean min nonzero prod ravel round squeeze std sum: ANY:
tolist var: ANY:
transpose: ANY: | k: 1, 0 | k: (1, 0) | k: 0, 1 | k: None
argpartition partition: f: 1 | i: 0 | u: (0, 1) | m: 1, 0
astype: VEC: np.float32 | VEC: np.uint8 | f: int | i: "float32" | u: np.int8 | f: bool | s: np.int32 | m: complex
    | z: np.float32 | f: np.dtype("int16")
byteswap: f: | i:
choose: j: [f, i, g] | p.astype(int): [u, 300] | j: (10, 20, 30)
clip: VEC: 0, 2 | u: 0, 300 | b: -1, 255 | f: None, 1 | f: min=0 | i: 0.5, 2 | u: -1, 300 | f: g, 1 | m: 0, f
compress: f: p | m: [True, False], 0 | f: [1, 0, 1]
diagonal trace: MAT: | m: 1
dot: f: g | m: m | m: f | f: 2 | i: f | u: u | f: xs | f: x
dump dumps tofile: f:
fill: VEC: 1 | f: x | u: 300 | i: 2.5 | m: n | p: 2 | u: n
getfield: f: np.int32 | m: np.float32, 0
item: f[:1]: | f: 1 | m: 0, 1 | m: (0, 1) | s: | f: n | m: 4
put: f: [0, 2], [1, 2] | f: 1, x | i: 0, 2.5 | u: [0], 300 | m: [0, 4], 9 | f: n, 1 | f: j, g | f: 7, 1
repeat: f: 2 | f: [1, 2, 0] | m: 2, 0 | m: [1, 2, 3], 1 | f: j | u: 2
reshape: f: 3, 1 | f: (3, 1) | m: -1 | m: 9 | k: 3, 2 | k: (3, 2), order="F" | m: (9,) | k: (2, -1) | s: 1 | f: [3, 1]
resize: f: 2 | m: (2, 2) | f: (2, 3)
searchsorted: np.sort(f): g | np.sort(f): x | np.sort(u): 300 | np.sort(u): -1 | np.sort(i): 1.5 | np.sort(f): [0, 1]
setfield: f: 1, np.float32
setflags: f: write=False
sort: VEC: | m: | m: 0 | m: None | f[1:]: | m[:, 1]: | k[0]: | m.T:
swapaxes: m: 0, 1 | k: -1, 0
take: VEC: [0, 2] | f: 1 | m: [0, 1], 0 | f: j | f: n | f: 7 | m: 4 | f: (0, 1) | f: [0, 1], mode="clip" | f: [[0, 1], [1, 2]]
to_device: f: "cpu"
tobytes: f: | u:
view: f: | f: np.int32 | u: np.int8 | z: np.float32 | m: np.uint8 | i: np.uint32 | p: np.uint8 | f: "int32" | f: np.ndarray
    | b: dtype=np.uint8
"""
