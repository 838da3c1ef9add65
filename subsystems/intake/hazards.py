"""What makes a request an emergency, urgent or of little weight: phrases in the form of `words.pattern`, by concept.

Written to miss no hazard first, and to raise few false ones second.
"""

# A concept each. What burns, poisons, shocks or drowns; nobody waits for a second opinion on these.
EMERGENCY = {
    "gas": """
        smell* (of |like |some |a little |)gas, gas (smell*|odor|leak*), odor of gas, rotten egg*,
        huele* (un poco |mucho |)a gas, olor a gas, fuga de gas, (olor|huele) .. gas,
        stove smells (funny|weird|strange)""",
    "fire": """
        on fire, caught fire, a fire (in|on|at), sizzling, fuego en, catch* fire, flames, smell* .. burning,
        burning .. smell*, burning (plastic|wires|rubber), burnt smell, smell* burnt, smell* .. smoke,
        smoke (is |)(coming|pouring|filling|from|in the), smoking (outlet|socket|panel|breaker|wire*),
        (outlet|socket|panel|plug|wire*) .. smok*,
        (outlet|socket|switch|panel|plug|breaker) .. (melt*|scorch*|burn*|popped|hot to the touch|is hot), incendio,
        fuego, humo saliendo, sale humo, huele a quemado, olor a quemado, se quemo el enchufe,
        (smoke|fire) alarm* .. (going off|wont stop|blaring)""",
    "shock": """
        spark*, sparkling outlet, arcing, (got|get|gets|getting|gave|gives) .. (shock*|zapped), shocked me,
        electrocut*, chispa*, (una |)descarga, da toques, me dio toques, live wire*, exposed wire*, wires hanging,
        hanging wires, bare wire*, cables pelados, corto circuito, cortocircuito""",
    "carbon monoxide": """
        (co|carbon monoxide|monoxide) (alarm|detector)* .. (going off|sounding|blaring|wont stop|screaming|headache),
        (carbon |)monoxide (is |)(leak*|poison*), ppm, monoxido""",
    "water and electricity": """
        (water|leak*|drip*|wet) .. (light|lights|outlet*|socket|panel|breaker*|fuse box|electric*),
        (light fixture|outlet|socket|breaker box|electrical panel) .. (water|wet|drip*|leak*),
        (agua|gotea*|goteando) .. (luz|foco|lampara|enchufe|contacto|caja electrica)""",
    "active water": """
        (water|agua) .. (pouring|gushing|shooting|spraying|rushing|flooding|everywhere|por todos lados|chorros),
        (pouring|gushing|spraying|shooting|rushing) .. water, flooding, is flooded, inches of water, burst pipe*,
        (pipe|pipes|hose|line|tank|heater|washer) .. (burst|broke|exploded),
        (cant|cannot|wont) .. (stop|shut|turn) .. (water|off|stop), water .. (wont|to) stop,
        wont stop (leaking|running|pouring), se esta inundando, inunda*, mucha agua, se rompio .. (tubo|tuberia|cano),
        no .. cerrar el agua, (raining|rain) .. (inside|going in), sump .. (alarm|fail*|not|stopped|dead),
        (water|leak*) .. through .. ceiling, (tree|branch|limb) .. (through|thru) .. roof""",
    "ceiling": """
        (ceiling|roof) .. (bulg*|sagging|falling|fell|collaps*|caved|caving|coming down|came down),
        bulging .. ceiling, cay* .. techo, (stairs|balcony|deck|floor) .. (collaps*|gave way|caved),
        techo .. (cay*|cae|abomb*|pande*)""",
    "sewage": """
        sewage, raw sewer, sewer .. back*, backing up .. (tub|shower|sink),
        (brown|black|dirty|toilet) water .. (coming up|tub|shower|sink),
        (poop|feces|poo) .. (floor|tub|shower|coming), only .. toilet .. (back*|clog*|broke*|wont|not|over*|out),
        (toilet|toilets) .. only (one|toilet), aguas negras, unico (bano|inodoro|excusado),
        drenaje .. (sale|regres*)""",
    "no water": """
        no water (at all|in the|nothing|anywhere|since|coming|out|today|neighbors|for), no water, without water,
        water (is |)(off|out) .. (whole|entire|all), no hay agua, sin agua, no tenemos agua, no tengo agua,
        no sale agua""",
    "trapped": """
        locked (him|her|them)self in, locked (inside|in) (the|my), trapped,
        stuck (in|inside) (the |an |)(elevator|bathroom|room|closet|shower),
        (baby|kid|toddler|child|son|daughter|dog) .. locked in*, cant get out, elevator .. stuck .. me, encerrad*,
        atrapad*, (gate|door) .. stuck .. cant get out""",
    "cannot be secured": """
        (front|entry|back|main|apartment) door .. (wont|doesnt|does not|cant|not) (lock|latch|close|shut),
        (wont|doesnt|cant) (lock|latch|close) .. (front|entry|back|main) door,
        (someone|somebody|they|guy|man) broke in*, broken into, broke into, break in, burglar*, kicked in,
        (window|door) .. (smashed|kicked|busted|broken out), someone broke, open to (the |)outside, restraining order,
        protective order, stalk*, (ex|husband|boyfriend) .. has a key, abusive, domestic violence,
        puerta .. no cierra .. calle""",
    "medical power": """
        (oxygen|ventilator|dialysis|cpap|nebulizer|concentrator) .. (power|circuit|outlet|breaker|trip*|electric*|plug),
        (power|circuit|outlet|breaker|electric*) .. .. (oxygen|ventilator|dialysis|cpap|nebulizer|concentrator),
        (oxigeno|respirador|dialisis)""",
    "power line": """
        (tree|branch|limb) .. power line*, power line* .. (down|hanging|sparking|yard|ground), downed (power |)line*,
        cable .. caido""",
    "wild animal inside": """
        (bat|snake|raccoon|squirrel|skunk) (is |)(in|inside) (my|the|our)
        (bedroom|room|house|apartment|apt|kitchen|living|bathroom|unit)""",
}

NO_HEAT = """
        no heat, zero heat, any heat,
        heat* .. (out|not working|wont (turn|come|start|kick)|isnt working|stopped|dead|broke*|quit),
        furnace .. (out|not|wont|stopped|dead|broke*|quit|died|shuts off), without heat,
        boiler .. (out|not|wont|dead), no hay calefaccion, sin calefaccion,
        calefaccion .. no (prende|funciona|sirve|calienta), calefaccion no (prende|funciona|sirve|calienta),
        no (tenemos|tengo|hay) calefaccion"""
COLD = """
        freezing, snow*, below zero, frozen, ice, so cold, very cold, really cold, mucho frio, helando, nieve,
        (supposed to be|its|is|outside|outside its|says|thermostat says|tonight) (in the |)([1-4]|)[0-9](s|f|),
        ([1-4]|)[0-9] (degrees|outside|out|tonight|inside), still no heat, (two|three|2|3|4) days, third time,
        3rd time"""
NO_COOL = """
        ac .. (out|not|wont|dead|broke*|stopped|died|quit|warm), a c .. (out|not|wont|dead|broke*|stopped), no ac,
        no a c, no air conditioning, air condition* .. (out|not|wont|dead|broke*|stopped|quit),
        aire .. no (enfria|funciona|sirve|prende), aire no (enfria|funciona|sirve|prende), sin aire"""
HOT = """
        (9[5-9]|1[0-2][0-9]) (degrees|out|outside|f|inside|today|in here),
        (its|is|says|hit*|over) (9[5-9]|1[0-2][0-9])"""
WARM = """
        (8[5-9]|9[0-9]|1[0-2][0-9]) (degrees|out|outside|f|inside|today|in here),
        (its|is|says|hit*|over) (8[5-9]|9[0-9]|1[0-2][0-9]), so hot, really hot, mucho calor"""
VULNERABLE = """
        baby, babies, newborn, infant, toddler, pregnant, elderly, grandma, grandpa, grandmother, grandfather,
        wheelchair, disabled, chemo, asthma, (mom|mother|dad|father) .. (old|sick|8[0-9]|9[0-9]|7[0-9]), months old,
        ([0-9]|1[0-9]) months, im (7|8|9)[0-9], walker, oxygen, bebe, recien nacid*, mayor de edad, es mayor, abuel*,
        embarazada, (mama|papa) .. (mayor|enferm*)"""

URGENT = """
        no hot water, hot water (is |)(out|not working|gone|ran out), water heater .. (out|not|broke*|dead),
        no .. agua caliente, sin agua caliente, no power, power (is |)(out|off), lost power, half .. power,
        no electric*, partial power, flicker*, breaker .. trip*, circuit .. trip*, whole building, no hay luz,
        sin luz, se fue la luz, leak*, water from .. (wall|ceiling), water (is |)(coming|dripping|around), gotea*,
        fuga, goter*, dripping .. ceiling, ceiling .. (drip*|wet|leak*), wet (spot|circle|stain|carpet), still wet,
        getting (bigger|worse), spreading, overflow*, backed up, backing up, (hot |)water come*, cant turn .. off,
        (fridge|refrigerator|freezer) .. (warm|not cold|not cool*|out|dead|died|stopped|quit|wont|not working),
        (refri|refrigerador|nevera) .. no (enfria|funciona|sirve), lost .. groceries,
        (smoke|co|carbon monoxide) (detector|alarm)* .. (missing|dead|end|beeps once|expired|removed|gone|broke*),
        (detector|alarm) .. (not working|trouble), no (smoke|co|carbon monoxide) (alarm|detector)*,
        (fire|alarm) .. trouble, grease fire, small fire, extinguisher, fire (is |its |)out, bed bug*, bedbug*,
        chinche*, wasp* .. door, allergic, epipen, wasps nest, hornet*, locked (myself |)out, lock* .. out,
        me quede (afuera|fuera), lost .. keys, key broke*, broke .. key, cant unlock, cant (lock|get in), trip* on,
        tripped, trip hazard, (i|he|she|mom|dad|lady|almost|nearly|kid|son|daughter) fell, slip*, icy, pure ice,
        handrail .. loose, railing .. (loose|broke*), loose .. (railing|handrail|step*), hanging off, shingles,
        tree .. (fell|down), asbestos, paint .. (peeling|chips) .. (toddler|baby|child|kid),
        (toddler|baby|child|kid) .. (chips|paint), mold .. (asthma|sick|doctor|dr|cough*|breath*),
        (asthma|sick|doctor|dr|cough*|breath*) .. mold, frozen, froze, frost, stuck .. car,
        car .. (stuck|in there|trapped), garage door .. stuck, garage .. (spring|wont close|wont open),
        door is crooked, call box, insulin, medicine, exploded, shattered, broken glass, glass everywhere, needles,
        blood, biohazard, (burner*|stove) .. (wont|dont|doesnt) light, wall .. hot, gets hot, soft underneath,
        old food, moved in today, geyser, sprinkler .. (shooting|broke*|geyser), rats, rat, chemical smell,
        toilet .. (rocks|leak*|overflow*|wont flush|not flush*), burst, vidrio .. roto, ventana rota,
        se rompio .. ventana, no cierra la puerta, leak .. again, water stain .. (bigger|grow*), no heat,
        carpet .. wet, flooded"""
LOW = """
        light bulb*, lightbulb*, bulb, foco, screen .. (hole|torn|ripped), screen has, blind*, persiana*, towel bar*,
        towel rack*, mailbox, filter, ice maker, icemaker, softener, porch light, squeak*, hole .. (wall|door),
        went through the wall, paint (is |)(chipped|scuffed|faded), touch up, scuff*, lawn, grass, weeds, mow*,
        disposal hum*, garbage disposal, cosmetic, dumped, when you get a chance, whenever you, no rush, no hurry,
        not urgent, no big deal, not a big deal, no es urgente, no hay prisa, cuando puedan, stain*, smells like dog,
        fan .. (loud|noisy), loud fan, painted .. shut, making noise, is it mine, loose knob, wifi, parked, neighbors"""
# Said to be absent, or something else: neither a hazard nor urgent.
CALM = """
        no water (on|damage|in the basement|yet|leak*), no gas, no smoke (coming|anywhere|or|at all), no fire,
        no spark*, gas station, gas bill, no leak*, not leaking, without leak*"""
# Lesser things that hold the words of a hazard.
LESSER = """
        no (hay|tenemos|tengo|sale|tiene) agua caliente, sin agua caliente, sewer odor, fire alarm panel,
        fire alarm test*"""
