"""Abbreviations and the words that they are read as, by language; in base forms.

An abbreviation with several readings is left out if one of them is another frequent word in the
same place: *co* (company, Colorado), *no* (number: the family `numbers` reads it before a digit).
"""

from __future__ import annotations

ENGLISH = """
mr / mister
mrs / missus / missis
messrs / messieurs
dr / doctor
drs / doctors
prof / professor
st / saint
gov / governor
lt / lieutenant
sgt / sergeant
capt / captain
cpl / corporal
cmdr / commander
supt / superintendent
hon / honorable / honourable
jr / junior
sr / senior
esq / esquire
vs / versus
etc / et cetera / etcetera
e.g / eg / for example
i.e / ie / that is
approx / approximately
dept / department
depts / departments
govt / government
gov't / government
mgmt / management
mgr / manager
assn / association
assoc / associates
assoc / association
asst / assistant
bros / brothers
inc / incorporated
corp / corporation
ltd / limited
intl / international
int'l / international
natl / national
nat'l / national
univ / university
avg / average
qty / quantity
acct / account
ave / avenue
blvd / boulevard
hwy / highway
pkwy / parkway
rte / route
mt / mount
mts / mountains
jan / january
feb / february
apr / april
aug / august
sept / sep / september
oct / october
nov / november
dec / december
a.m / am / a m
p.m / pm / p m
o.k / ok / okay / o k
ph.d / phd / p h d / ph d
& / and
@ / at
+ / plus
"""

FRENCH = """
m / monsieur
mm / messieurs
mr / monsieur
mme / madame
mmes / mesdames
mlle / mademoiselle
mlles / mesdemoiselles
dr / docteur
pr / professeur
st / saint
ste / sainte
etc / et cetera / et caetera
c-à-d / c.-à-d / càd / c'est-à-dire / c'est à dire
svp / s'il vous plaît / s'il vous plait
bd / boulevard
av / avenue
env / environ
apr / après
janv / janvier
févr / février
sept / septembre
oct / octobre
nov / novembre
déc / décembre
& / et
"""

GERMAN = """
z.b / zb / z b / zum beispiel
d.h / dh / d h / das heißt / das heisst
u.a / u a / unter anderem
u.a / u a / und andere
usw / u.s.w / und so weiter
bzw / beziehungsweise
bspw / beispielsweise
vgl / vergleiche
ca / circa / zirka
evtl / eventuell
ggf / gegebenenfalls
inkl / inklusive
exkl / exklusive
z.t / z t / zum teil
i.d.r / i d r / in der regel
o.ä / o ä / oder ähnliches
v.a / v a / vor allem
u.u / u u / unter umständen
sog / sogenannte
sog / sogenannten
dr / doktor
prof / professor
hr / herr
hrn / herrn
fr / frau
st / sankt
str / straße / strasse
nr / nummer
mio / million / millionen
mrd / milliarde / milliarden
tel / telefon
jan / januar
feb / februar
aug / august
sept / september
okt / oktober
nov / november
dez / dezember
& / und
"""

SPANISH = """
sr / señor
sra / señora
srta / señorita
sres / señores
dr / doctor
dra / doctora
prof / profesor
ud / vd / usted
uds / vds / ustedes
d / don
dña / doña
etc / etcétera
p.ej / por ejemplo
p ej / por ejemplo
ee.uu / eeuu / ee uu / estados unidos
sta / santa
sto / santo
av / avda / avenida
aprox / aproximadamente
& / y
"""

ITALIAN = """
sig / signor / signore
sig.ra / signora
sig.na / signorina
sigg / signori
dott / dr / dottor / dottore
dott.ssa / dottoressa
prof / professor / professore
prof.ssa / professoressa
avv / avvocato
ing / ingegner / ingegnere
ecc / eccetera
es / esempio
ca / circa
& / e
"""

PORTUGUESE = """
sr / senhor
sra / senhora
srs / senhores
dr / doutor
dra / doutora
prof / professor
profa / prof.ª / professora
etc / et cetera / etcétera
p.ex / por exemplo
p ex / por exemplo
vc / você
av / avenida
aprox / aproximadamente
& / e
"""

DUTCH = """
dhr / de heer
mevr / mw / mevrouw
dr / doctor
prof / professor
bijv / bv / bijvoorbeeld
d.w.z / dwz / dat wil zeggen
m.a.w / maw / met andere woorden
o.a / oa / onder andere / onder anderen
t.o.v / tov / ten opzichte van
i.p.v / ipv / in plaats van
enz / enzovoort / enzovoorts
etc / et cetera / etcetera
a.u.b / aub / alstublieft
ca / circa
nr / nummer
st / sint
& / en
"""

ABBREVIATIONS = {
    "de": GERMAN,
    "en": ENGLISH,
    "es": SPANISH,
    "fr": FRENCH,
    "it": ITALIAN,
    "nl": DUTCH,
    "pt": PORTUGUESE,
}
# How `&` is read between letters: R&D.
AND = {"de": "und", "en": "and", "es": "y", "fr": "et", "it": "e", "nl": "en", "pt": "e"}
