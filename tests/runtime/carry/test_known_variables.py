"""Variables that a loop computes from known numbers alone hold, in it and behind it, what Python's own loop leaves in them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph as ag
from tests.runtime.tracing.known.test_number import Z, assert_as_in_python, loaded

PROGRAMS = {
    "count_used": """
def count_used(y):
    c=0
    for i in numbers(6):
        y[c%6,0]=c*0.1*3; c+=2
    return y,c
""",
    "tstep": """
def tstep(y):
    t=0.0
    for i in numbers(6):
        y[i,0]=t; t+=0.1
    return y,t
""",
    "lr": """
def lr(y):
    h=0.3
    for i in numbers(6):
        y[i,0]=h; h*=0.7
    return y,h
""",
    "fib": """
def fib(y):
    a,b=0,1
    for i in numbers(6):
        y[i,0]=a; a,b=b,a+b
    return y,a
""",
    "fibbig": """
def fibbig(y):
    a,b=0,1
    for i in numbers(200): a,b=b,a+b
    return y, a%1000
""",
    "lcg": """
def lcg(y):
    s=12345
    for i in numbers(6):
        s=(s*6364136223846793005+1442695040888963407)%2**64
        y[i,0]=s%1000/7
    return y
""",
    "flag": """
def flag(y):
    odd=False
    for i in numbers(6):
        if odd: y[i,0]=1.0
        odd=not odd
    return y,odd
""",
    "simpson": """
def simpson(y):
    w=1
    for i in numbers(7):
        y[0,i]=w/3*0.1
        w=4 if w!=4 else 2
    return y,w
""",
    "condc": """
def condc(y):
    c=0
    for i in numbers(7):
        if i%3==1: continue
        c+=1
        y[c,0]+=i*0.3*0.1
    return y,c
""",
    "prev": """
def prev(y):
    p=-1
    for i in numbers(6):
        y[i,0]=p*0.1*3; p=i
    return y,p
""",
    "attr": """
def attr(y):
    b=Box(); b.n=0; b.t=0.0; d={'k':1}; l=[0.5]
    for i in numbers(6):
        b.n+=1; b.t+=0.1; d['k']*=2; l[0]-=0.1
        y[i,0]=b.t+l[0]; y[i,1]=d['k']*0.1
    return y,b.n,b.t,d['k'],l[0]
""",
    "last": """
def last(y):
    for i in numbers(6):
        k=i*0.1; q=7
        y[i,0]=k
    return y,k*3,q,i
""",
    "lists": """
def lists(y):
    xs=[]; ks=[]
    t=0.0
    for i in numbers(6):
        xs.append(i*0.1*3); ks.append(t); t+=0.1
        y[i,0]=t
    return y,xs,ks
""",
    "arr": """
def arr(y):
    c=0; t=0.0
    for row in y+1:
        c+=1; t+=0.1
        y[c-1,0]=row[0]*t
    return y,c,t
""",
    "nestc": """
def nestc(y):
    c=0
    for i in numbers(6):
        for j in numbers(7):
            c+=1
            y[i,j]=c*0.1*3
    return y,c
""",
    "nestt": """
def nestt(y):
    for i in numbers(6):
        t=i*0.1
        for j in numbers(7):
            y[i,j]=t*3; t+=0.01
    return y
""",
    "nestt2": """
def nestt2(y):
    t=0.0
    for i in numbers(6):
        for j in numbers(7):
            t+=0.01
        y[i,0]=t*3
    return y,t
""",
    "demoted": """
def demoted(y):
    b,c=1,2
    for i in numbers(4):
        b,c=c,y[i,0]+2
    return b,c
""",
    "demoted2": """
def demoted2(y):
    b=1.0; c=2
    for i in numbers(4):
        b,c=c,2
    return b,c
""",
    "fdict": """
def fdict(y):
    d={0:.1,1:.2,2:.3,3:.4}; k=0
    for i in numbers(6):
        y[i,0]=d[k]*3; k=(k+3)%4
    return y
""",
    "flist": """
def flist(y):
    d=[.1,.2,.3,.4]; k=0
    for i in numbers(6):
        y[i,0]=d[k]*3; k=(k+3)%4
    return y
""",
    "schedule": """
def schedule(y):
    lr=0.1
    for i in numbers(30):
        if i%10==0 and i>0: lr*=0.5
        y[0,0]=lr
        y[0,1]=lr*math.cos(i/7)
    return y,lr
""",
    "adam": """
def adam(y):
    b1=0.9; p=1.0
    for i in numbers(6):
        p*=b1
        y[i,0]=1/(1-p)+1/(1-b1**(i+1))
    return y
""",
    "exc": """
def exc(y):
    c=3; t=0
    for i in numbers(3):
        t=10//c; c-=1
        y[i,0]=t
    return y,c
""",
    "nest3": """
def nest3(y):
    c=0; t=0.0
    for i in numbers(3):
        for k in numbers(2):
            for j in numbers(4):
                c+=1; t+=0.01*j
            y[i,k]=c*0.1*3+t
        t*=0.5
    return y,c,t
""",
    "nestx": """
def nestx(y):
    c=0
    for i in numbers(3):
        for j in numbers(4):
            c+=i*j
            y[i,j]=c*0.1*3
    return y,c
""",
    "nesty": """
def nesty(y):
    total=0
    for i in numbers(4):
        c=0
        for j in numbers(4):
            if (i+j)%2: c+=1
        total+=c
        y[i,0]=c*0.1*3+total/3
    return y,c,total
""",
    "revl": """
def revl(y):
    xs=[]
    for i in reversed(numbers(5)): xs.append(i*0.1)
    ys=[]
    for k,row in enumerate(reversed(y+0)): ys.append((k*0.1,row[0]))
    return xs,ys
""",
    "nestlists": """
def nestlists(y):
    xs=[]
    for i in numbers(3):
        row=[]
        for j in numbers(2): row.append(i*0.1+j)
        xs.append(row)
    return xs
""",
    "fromint": """
WEIGHTS=[0.1,0.7,0.25]
def fromint(y):
    for i in numbers(5):
        s=0
        for j in numbers(i): s+=WEIGHTS[j%3]
        t,k=-1,0
        while k<i:
            k+=1
            if k%2==1: t=t*0.3+WEIGHTS[k%3]
        y[i,0]=int(s*1e15)%97+int(t*1e15)%89
    return y,s,t
""",
    "fromintnumpys": """
import numpy as np
WEIGHTS=np.array([0.1,0.7,0.25])
def fromintnumpys(y):
    for i in numbers(5):
        s=i
        for j in numbers(i): s+=WEIGHTS[j%3]
        y[i,0]=int(s*1e15)%97
    return y,float(s)
""",
    "intorfloat": """
def intorfloat(y):
    t=0.5
    for i in numbers(5):
        s=2
        if i%2==1: s=0.1*i
        y[i,0]=int(s*3*1e15)%97
        u=0
        for g in numbers(6):
            if g%2==1 or i%2==1: u+=0.1*g+t
        t=u%83.0
    return y,t
""",
    "intornumpys": """
import numpy as np
def intornumpys(y):
    w,l,t=np.float64(0.25),[2,0.7],0.5
    for i in numbers(5):
        for j in numbers(4):
            s=0
            for g in numbers(j):
                if l[1]>0.4:
                    for h in numbers(3): s+=l[1]+w*h
            y[j,0]=int(s*1e15)%97
        l[0]=i
    return y,l[0]
""",
    "breaksatonce": """
def breaksatonce(y):
    t=0.5
    for i in numbers(5):
        for j in numbers(i+1):
            y[i,0]+=1
            for k in range(0,9,2):
                t+=0.02
                if k*2>j: break
    return y,int(t*1e15)%97
""",
    "besidealist": """
def besidealist(y):
    l=[2,0.25]
    for i in numbers(3,9):
        y[0,0]+=1
        for j in range(5):
            if l[0]%3==1: continue
            if j*2>i: break
            l[1]+=0.02
    return y,int(l[1]*1e15)%97
""",
    "laternumpys": """
import numpy as np
WEIGHTS=np.array([0.1,0.7,0.25])
def laternumpys(y):
    box=Box()
    box.n,t=0.5,0.0
    for i in numbers(5):
        j=0
        while j*j<(5-i)*3:
            j+=1
            t=0
            for g in range(j,4): t+=box.n%59.0
        box.n+=WEIGHTS[0]
        y[i,0]=int(t*1e15)%97
    return y,float(t)
""",
    "fromattribute": """
WEIGHTS=[0.1,0.7,0.25]
def fromattribute(y):
    box=Box()
    box.n=0
    for i in numbers(5):
        t=0
        for j in numbers(i):
            if i!=box.n: t+=WEIGHTS[j%3]
        for j in numbers(4): box.n+=1
        y[i,0]=int(t*1e15)%97
    return y,box.n
""",
    "turned": """
def turned(y):
    odd, n = False, 0
    for i in numbers(5):
        for j in numbers(0, 5, 2):
            odd = not odd
        if i % 2 == 1 or odd:
            n += i
        y[i, 0] = n * 0.1 * 3
    return y, n, odd
""",
    "largestnumpys": """
def largestnumpys(y):
    u = np.float64(0.25)
    v, w = 0.0, 0.0
    for i in numbers(6):
        v = v * 3 + max(u, 0.5)
        w = w * 3 + min(0.5, i, u)
        y[i, 0] = v * 1e5 % 1
        y[i, 1] = w * 1e5 % 1
        u += 0.1
    return y, v, w
""",
    "ofoneiteration": """
def ofoneiteration(y):
    box, t = Box(), 0.5
    box.t = 0.5
    for i in numbers(5):
        for j in numbers(i % 3, i):
            k = -1
            while k < j:
                k += 1
                box.t += 0.1
                t = sum(box.t % 59.0 for g in range(3) if j != 1) % 83.0
        y[i, 0] = box.t
    return y, int(box.t * 1000), int(t * 1000)
""",
    "beyond32bits": """
def beyond32bits(y):
    box, l = Box(), [2, 0.25]
    box.n = 0
    for i in numbers(5):
        if i > 1 or i % 2 == 1:
            j = -1
            while j * j < i * 3:
                j += 1
                box.n = abs(l[0]) % 10 ** 10
                l[1] += 0.1
        y[i, 0] = l[1]
    return y, box.n
""",
    "constantlater": """
def constantlater(y):
    weights, c, box = np.array([0.1, 0.2]), 1, Box()
    box.t = 0.5
    for i in numbers(4):
        if i > 0.5:
            box.t += weights[c % 2]
        c = 4
        y[i, 0] = box.t
    return y, int(box.t * 1000), c
""",
    "neverwritten": """
def neverwritten(y):
    weights, box, l = np.array([0.1, 0.2]), Box(), [2, 0.25]
    box.t = 0.5
    for i in numbers(5):
        j = 0
        while not j >= i:
            j += 1
            if j != 0:
                l[1] += weights[0]
            else:
                box.t = l[1] % 83.0
        y[i, 0] = l[1]
    return y, box.t
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_numbers_in_the_loop_and_behind_it(name: str) -> None:
    assert_as_in_python("import math\nimport numpy as np\n\n\nclass Box:\n    pass\n" + PROGRAMS[name], Z, name=name)


MIXED = [
    "u = 0.5 if i % 2 == 1 else np.float64(0.75)",
    "for j in range(i): u = j * 0.5 + 0.5",
    "u = sum(np.float64(0.5) for j in range(i % 3))",
]


@pytest.mark.parametrize("changes", MIXED)
def test_bools_of_a_float_that_is_numpys_in_some_iterations(changes: str) -> None:
    """The sum of Python's bools is an int, and that of NumPy's a bool: a plain loop is unrolled, and `ag.range` refuses it."""
    source = f"""
def f(total):
    u = np.float64(0.25)
    for i in numbers(40):
        for k in range(4):
            total = total + (((k % 2 == 1) + (u > 0.4)) & 31)
        {changes}
    return total, u
"""
    plain = loaded(source, "f", range)
    assert jax.tree.map(float, ag.jit(plain)(1)) == jax.tree.map(float, plain(1))
    with pytest.raises(ag.StagingError, match="a sum of bools computed from .*'u' is an int in some iterations and a bool in the rest"):
        ag.jit(loaded(source, "f", ag.range))(1)


@pytest.mark.parametrize("term", ["True + (u > 0.4)", "~(u > 0.4)"])
def test_bools_of_two_classes_that_are_true_in_all_iterations(term: str) -> None:
    source = f"""
def f(total):
    for i in numbers(40):
        u = np.float64(0.5) if i < 3 else 0.5
        total = total + ({term})
    return total
"""
    plain = loaded(source, "f", range)
    assert int(ag.jit(plain)(1)) == plain(1)


def scan_of(f, *args):
    """The equation of the loop of a function."""
    (scan,) = (e for e in jax.make_jaxpr(ag.convert(f))(*args).eqns if e.primitive.name == "scan")
    return scan


def test_a_counter_that_nobody_reads_in_the_loop_is_not_carried():
    sizes = []

    def f(x):
        count = 0
        for _ in ag.range(6):
            x = x + 1.5
            count += 2
        sizes.append(count)
        return x + jnp.zeros(count).sum()

    assert len(scan_of(f, 1.0).outvars) == 1 and sizes == [12]


def test_a_number_that_becomes_traced_is_carried_as_before():
    def f(x, xs):
        total, most = 0.0, 0
        for x in xs:
            total += x
            most = max(most, 2)
        return total

    carried = scan_of(f, 1.0, jnp.ones(3))
    assert [e.primitive.name for e in carried.params["jaxpr"].eqns] == ["add"] and len(carried.outvars) == 1


def test_the_iteration_is_traced_twice_where_the_program_reads_a_known_number(monkeypatch):
    traced, sin = [], jax.lax.sin_p.bind
    monkeypatch.setattr(jax.lax.sin_p, "bind", lambda *args, **params: traced.append(1) or sin(*args, **params))

    def f(x):
        t = 0.0
        for _ in ag.range(6):
            x = jax.lax.sin(x) + t
            t += 0.1
        return x

    jax.make_jaxpr(ag.convert(f))(1.0)
    assert len(traced) == 2


def test_the_numbers_of_many_iterations():
    def f(x):
        t, state = 0.0, 12345
        for _ in ag.range(200_000):
            t += 0.001
            state = (state * 1103515245 + 12345) % 2**31
            x = x + state % 3 * 0.5
        return x, t, state

    x, t, state = jax.jit(ag.convert(f))(0.0)
    wanted = f(0.0)
    assert (float(x), int(state)) == (wanted[0], wanted[2]) and np.float32(t) == np.float32(wanted[1])


def test_an_update_that_raises_is_left_to_the_program():
    def f(x):
        k, total = 3, 0.0
        for _ in ag.range(6):
            total = total + x / (k + 10)
            k = 6 // (k - 1) if k != 1 else 3
        return total, k

    assert np.allclose(jax.jit(ag.convert(f))(2.0), f(2.0))


@pytest.mark.parametrize(
    "transform", [jax.jit, lambda f: jax.jit(jax.vmap(f)), lambda f: jax.jit(jax.grad(lambda x: f(x).sum()))]
)
def test_under_transforms(transform):
    def f(x):
        t, rate = 0.5, 0.3
        for i in ag.range(5):
            x = x * (1 + rate) + t * i
            rate *= 0.7
            t += 0.1
        return x

    x = jnp.float32([1.5, 2.5]) if transform is not jax.jit else jnp.float32(1.5)
    plain = transform(f)(x) if transform is jax.jit else transform(lambda x: _plain(x))(x)
    np.testing.assert_allclose(transform(ag.convert(f))(x), plain, rtol=1e-6)


def _plain(x):
    t, rate = 0.5, 0.3
    for i in range(5):
        x = x * (1 + rate) + t * i
        rate *= 0.7
        t += 0.1
    return x


def test_a_number_that_a_later_attempt_finds_traced_is_carried():
    """The first attempt ends in the exception of the second branch, so that `t` grows in each iteration that it has seen."""

    def f(x):
        t = 0
        for i in ag.range(4):
            if x > i:
                s = 1
                t = t + 2
                continue
            s = s
        return t

    assert ag.jit(f)(0.25) == 2 and ag.jit(f)(1.5) == 4


def test_a_list_that_is_bound_in_some_iterations():
    def f(n):
        for i in ag.range(n):
            if i == 1:
                s = [i, n]
        return s

    assert ag.jit(f)(3) == [1, 3]
