"""What tenants call things, by trade: the words that name a trade's object, and those that only lean towards it.

A phrase that stands under no trade keeps its words from speaking: "light bill" is neither lights nor a repair. The
longest phrase wins its words: "water heater" is not a heater. It holds what people say in general, in the form of
`words.pattern`, and no whole sentence of any one set of requests.
"""

NOT_MAINTENANCE = "not_maintenance"

# Each of these alone names the trade.
NAMES = {
    "plumbing": """
        toilet*, sink*, faucet*, tap, taps, shower*, bathtub*, tub, drain*, clog*, plumb*, sewer*, sewage, septic,
        pipe, pipes, plunger, water heater*, hot water, no water, water pressure, low pressure, disposal*,
        garbage disposal*, water softener, softener, sump*, spigot*, hose bib*, water main, shut off valve, shutoff*,
        shower head, showerhead, shower handle, backflow, back up .. flush*, neighbor* upstairs .. overflow*,
        upstairs .. overflow*, water .. when .. (neighbor*|upstairs) .. shower*, water from (the |)upstairs,
        (disposal|sink) .. dishwasher, dishwasher .. (disposal|sink), pilot light .. water, dishwasher .. backed up,
        water line, water meter, lavabo*, fregadero*, inodoro*, excusado*, escusado*, wc, sanitario, regadera, ducha,
        tina, grifo*, llave del agua, llave .. gotea*, tuberia*, caneria*, canos, desague*, drenaje*, coladera,
        tapado*, tapada*, calentador*, boiler de agua, agua caliente, sin agua, no hay agua, no tenemos agua,
        no tengo agua, no sale agua, aguas negras, plomero*, plomeria""",
    "electrical": """
        outlet*, socket*, plug dead, wall plug, bathroom plug, electrical, electrician*, electricity, breaker*, fuse*,
        fuse box, breaker box, circuit*, gfci*, gfi, power is out, power out, power went out, no power, no electric*,
        lost power, half .. power, lights flicker*, light switch*, switch, light fixture*, light bulb*, lightbulb*,
        ceiling light*, porch light*, lights, ceiling fan*, spark*, electric panel, electrical panel, wiring, wires,
        wire, got a shock, shocked me, got shocked, electrocut*, zapped, whole building is out, burning .. plastic,
        power outage, bathroom light, kitchen light*, hallway light*, dimmer, chandelier, arcing, recessed light*,
        lamp post, light (doesnt|wont|does not) (work|turn on), enchufe*, tomacorriente*, apagador*, interruptor*,
        no hay electricidad, sin electricidad, no hay luz, sin luz, se fue la luz, no tenemos luz, no tengo luz,
        foco*, bombillo*, lampara*, chispa*, electricista, corto circuito, cortocircuito, pastilla*, breakers,
        abanico de techo, ventilador de techo, descarga, toques""",
    "hvac": """
        ac, a c, aircon*, air condition*, air conditioner*, air con, hvac, furnace*, heater, heaters, heat, heating,
        no heat, thermostat*, radiator*, boiler*, boiler room, vents, vent, duct*, condenser, compressor outside,
        heat pump, air filter*, ac filter*, the filter, air handler, condensate, swamp cooler, mini split*,
        baseboard heat*, exhaust fan*, bathroom fan*, bath fan, the air, central air, freon, thermostat screen,
        blower, thermostat .. light, upstairs is .. downstairs is, (hot|cold) air, ac closet, ac unit*,
        (mold|musty|smell*|dust) .. (vents|vent|ducts|air kicks on), calefaccion, calefactor, calenton,
        aire acondicionado, el aire, clima, termostato, minisplit, el filtro""",
    "appliance": """
        (dishwasher|washer|washing machine) .. drain*, fridge*, refrigerator*, freezer*, stove*, oven*, range,
        cooktop, burner*, dishwasher*, washer*, washing machine*, dryer*, laundry machine*, microwave*, ice maker*,
        icemaker*, range hood, hood fan, appliance*, oven door*, oven glass, oven light, fridge light, stovetop,
        wash machine, vent hood, trash compactor, oven rack, dryer vent, washer door, fridge door, freezer door,
        dishwasher door, dryer door, hood vent, water dispenser, lavadora*, secadora*, refrigerador*, refri, nevera,
        estufa*, horno*, lavavajillas, lavaplatos, microondas, congelador, hornilla*, parrilla""",
    "locksmith_access": """
        locked out, locked myself out, locked me out, lock out, lockout, locksmith*, rekey*, re key*, key, keys, lock,
        locks, fob*, deadbolt*, dead bolt, mailbox lock*, mailbox key*, mail key, door lock*, change the lock*,
        locks changed, lock* (him|her|them)self in, locked in the, keypad, key pad, key card*, keycard*, door code,
        lockbox, front door .. (latch*|lock*), door .. wont (latch|lock), door (wont|doesnt) (latch|lock), smart lock,
        mailbox, mail box, gate fob, gate key, gate lock, window lock, lost .. key*, door key*, front gate code,
        llave de la casa, las llaves, mis llaves, perdi .. llave*, cerradura*, chapa*, cerrajero*, candado*,
        me quede afuera, me quede fuera, cerrojo""",
    "pest_control": """
        roach*, cockroach*, bed bug*, bedbug*, mouse, mice, rat, rats, rodent*, ants, ant, wasp*, hornet*, bees, bee,
        hive, yellow jacket*, termite*, spider*, bat, bats, raccoon*, squirrel*, possum*, opossum*, skunk*, pest*,
        exterminat*, infest*, flea, fleas, bugs, bug, silverfish, droppings, gnats, flies, maggot*, pigeons,
        bird* nest, snake in, centipede*, mosquito*, scorpion*, critter*, moths, scratching .. (ceiling|wall*|attic),
        something .. (attic|in the wall), wasps nest, wasp nest, squirrels .. (attic|roof|ceiling), weevils,
        cucaracha*, raton*, rata, ratas, chinche*, hormiga*, arana*, avispa*, abejas, plaga*, fumiga*, termitas,
        pulgas, murcielago*, alacran*, bichos, insectos""",
    "roofing_exterior": """
        roof, roofs, roofing, shingle*, gutter*, downspout*, siding, soffit*, fascia, eaves, chimney, flashing,
        skylight*, roof leak*, stucco, rains sideways, storm .. ceiling, rain* .. ceiling, ceiling .. rain*,
        ceiling .. storm, attic leak*, leak* .. when it rains, when it rains .. (leak*|water|drip*),
        (leak*|drip*|water) .. (every time|when) it rains, exterior wall, brick*, through the roof, thru the roof,
        roof tile*, (tree|branch|limb) .. (roof|gutter*), leak* .. (roof|attic), window .. when it rains, tejado,
        gotera*, canaleta*, canalon*, tejas, cuando llueve""",
    "doors_windows": """
        window*, (door|doors) (is |are |)(stuck|stick*|broke*|wont|doesnt|squeak*|crooked|sag*|fell|jam*),
        (door|doors) (is |are |)(off|rub*|rott*|swollen|warped|hard to|hit*|slam*), sliding door*, slider,
        patio door*, (broken|cracked|shattered) glass, screen, screens, blind, blinds, weather strip*, weatherstrip*,
        door frame, doorframe, hinge*, door knob, doorknob, door handle, closet door*, screen door*, window pane,
        window screen*, shutters, french door*, storm door, shades, door hinge*, threshold,
        window .. wont (open|close|shut|stay), door .. off (the |its )track, glass door, window lock*, ventana*,
        puerta*, persiana*, vidrio*, mosquitero*, cristal, bisagra*, manija""",
    "garage_gate": """
        garage, garage door*, garage spring, garage opener*, garage remote*, gate, gates, call box, callbox,
        intercom*, buzzer*, opener, clicker, vehicle gate, entry gate, pedestrian gate, parking gate, driveway gate,
        community gate, side gate, gate arm, gate code, gate motor, opener del garage, garage light, garaje*,
        cochera*, porton*, reja, interfon*, intercomunicador, citofono""",
    "flooring": """
        floor*, carpet*, vinyl, tile*, tiles, laminate, hardwood, plank*, linoleum, grout*, tripped on, trip hazard*,
        tripping on, tripping hazard*, baseboard*, subfloor, floor tile*, bathroom floor, kitchen floor,
        transition strip, floor board*, floorboard*, wood floor*, piso*, alfombra*, azulejo*, loseta*, mosaico*,
        duela, tarima""",
    "drywall_paint": """
        drywall, sheetrock, paint, painted, painting, peeling, plaster, popcorn ceiling, asbestos, lead paint,
        hole in the wall, hole in wall, hole in my wall, ceiling .. bulg*, bulging, ceiling .. sag*, crack, cracks,
        crack .. wall, crack .. ceiling, wall crack*, went through the wall, thru the wall, wallpaper, texture,
        repaint*, touch up, ceiling .. fell, ceiling collaps*, ceiling .. falling, ceiling .. (caved|caving),
        fist size hole, dent in the wall, nail hole*, pintura, pintar, pared, yeso, tablaroca, techo .. (cay*|cae*),
        grieta*, hoyo en la pared, despintad*""",
    "water_mold_restoration": """
        mold*, moldy, mildew*, mould*, black stuff, soaked, flooded, standing water .. (basement|carpet|floor),
        water damage*, dehumidifier*, squishy, mushy (floor|carpet), still wet, wet carpet, carpet .. wet,
        wet .. carpet, inches of water, carpet .. (soaked|squishy), drying fans, damp, basement .. water,
        water in the basement, flood, black spots, moho*, hongo*, humedad, inundad*, inundo, mojada la alfombra""",
    "grounds": """
        lawn, lawns, lawn care, lawn service, grass, tree*, branch*, limb, limbs, bush*, hedge*, weeds, sprinkler*,
        sprinkler head*, irrigation, snow*, plow*, icy, pure ice,
        ice on the (steps|walk*|sidewalk*|stairs|driveway|lot|parking lot), pool, hot tub, pothole*, sidewalk*,
        driveway, walkway*, landscap*, (dead|fallen|wet) leaves, leaves everywhere, yard, mow*, mowed, shovel*,
        salted, parking lot, drip line, paving, playground, fence*, fallen tree*, steps are .. ice, mulch, courtyard,
        cesped, zacate, pasto, arbol*, rama*, aspersor*, jardin*, nieve, alberca, piscina, yarda, cerca""",
    "cleaning_hauling": """
        trash*, garbage, dumpster*, dumped, rubbish, junk, haul*, bulk pickup, clean*, dirty, filthy, biohazard,
        needles, blood, feces, urine, vomit, poop, human waste, graffiti, garbage chute, trash chute, trash room,
        old food, hair in, left behind .. (furniture|stuff|junk), move out clean*, litter, broken glass,
        overflowing trash, stinks like trash, basura*, limpi*, sucio*, sucia*, escombro*, contenedor*, sangre""",
    "life_safety": """
        smoke detector*, smoke alarm*, co detector*, co alarm*, carbon monoxide*, monoxide, fire alarm*,
        fire extinguisher*, extinguisher*, fire panel, alarm panel, chirp*, fire sprinkler*, sprinkler pipe*,
        grease fire, small fire, smoke detectors, fire door*, exit sign*, emergency lights, emergency lighting,
        fire escape*, sprinkler system, alarm .. chirp*, beep* every, fire safety, detector*, smoke alarms,
        detector de humo, alarma de humo, alarma de incendio*, alarma contra incendio*, extintor*, extinguidor*,
        monoxido, detector de monoxido""",
    "handyman": """
        closet rod*, closet shelf, shel*, shelf, shelves, drawer*, cabinet*, cupboard*, towel bar*, towel rack*,
        towel rod, handrail*, hand rail*, railing*, banister, curtain rod*, toilet paper holder, toilet roll holder,
        shower rod, shower curtain rod*, medicine cabinet, countertop*, counter top*, deck board*, loose board,
        coat rack, closet pole, hooks, vanity, toilet seat, bannister, step is loose, stair tread, porch step,
        mirror fell, cajon*, gabinete*, alacena*, repisa*, barandal*, pasamanos, toallero, estante*""",
    NOT_MAINTENANCE: """
        rent, rent is due, pay rent, rent payment*, late fee*, security deposit, deposit back, my lease, the lease,
        lease renew*, renew my lease, sublet*, invoice, wifi, wi fi, internet password, password, parked in my spot,
        parked in my, parking spot, my parking space, towed, loud music, music .. loud, stomping, noisy neighbor*,
        neighbors are loud, loud neighbor*, partying, barking, dog barks, cant sleep, noise complaint*, hang my,
        mount my, put together, assemble, all good now, is good now, working now, works now, fixed now, is fixed,
        its fixed, fixed itself, (can|may) i (paint|install|have a|keep|pay|put up|get a copy|sublet|mount),
        is it (ok|okay|allowed) (to|if), am i allowed, do you allow, are (dogs|cats|pets) allowed, never mind,
        nevermind, nvm, no longer need*, please cancel, cancel my request, cancel the request, cancel that request,
        disregard, ignore your, ignore previous, ignore all, rent credit, office hours, what time .. office, package*,
        move out date, moving out, notice to vacate, add my .. lease, roommate .. lease, pet fee, ledger balance,
        we will live with it, trash day, what day is trash, secondhand smoke, smoking weed, smells like weed,
        just wanted to say thank*, renta, cuando .. renta, pagar la renta, contrasena, mi estacionamiento,
        mucho ruido .. vecin*, vecinos .. ruido, ya se arreglo, ya quedo, ya funciona, ya no es necesario, olvidalo,
        cancelar""",
}

# A hazard that one trade is called for, whatever else stands beside it.
SETTLES = {
    "plumbing": """
        smell* (of |like |some |a little |)gas, gas (smell*|leak*|odor), odor of gas, rotten egg*,
        huele* (un poco |mucho |)a gas, olor a gas, fuga de gas""",
    "life_safety": """
        (carbon monoxide|co|monoxide) (alarm|detector) .. (going off|sounding|wont stop|ppm), detector de monoxido""",
}

# These lean towards a trade: two of them, or one beside its object.
LEANS = {
    "plumbing": """
        leak*, leaking, drip*, dripping, flush*, overflow*, gurgl*, backed up, backing up, water, valve, hose, gotea*,
        fuga, agua, snake, trickle, spray*""",
    "electrical": """
        light, plug, plugs, tripp*, trips, tripping the, reset button, power, shock, bulb, volt*, outage, luz,
        corriente, popped, buzzing""",
    "hvac": """
        cold air, blowing, not cooling, cooling, freezing in here, air, filter, not heating, degrees, hace frio,
        hace mucho frio, no enfria, no calienta""",
    "appliance": """
        (dishwasher|washer|washing machine) .. drain*, warm food, groceries, not heating, spin, rinse, ice, laundry,
        preheat, cycles, no enfria, no lava, exprime""",
    "locksmith_access": "locked, unlock*, latch*, ex, moving in, restraining order, entrar",
    "pest_control": "nest, bites, bit, trap, traps, crawling, scratching, spray, bitten, gnaw*, chewed, chewing",
    "roofing_exterior": "storm, rain*, attic, hail, wind, lluvia, llueve, tormenta, techo",
    "doors_windows": """
        draft*, slam*, track, pane, glass, door, doors, front door, back door, (bedroom|bathroom|entry) door,
        open to outside, entra .. frio""",
    "garage_gate": "remote, opener, spring, entrance code, dialing",
    "flooring": "trip*, buckl*, warp*, soft underneath, stain*, squeak*",
    "drywall_paint": "hole, wall, ceiling, paint chips, chips, flaking, scuff*",
    "water_mold_restoration": "wet, musty, asthma, mushroom*, fungus, mojad*, mojo",
    "grounds": "outside, outdoor*, steps, geyser, green, slippery",
    "cleaning_hauling": "gross, smell*, mattress, nasty, couch, stinks",
    "life_safety": "beep*, alarm*, alarma*, smoke, panel",
    "handyman": "loose, wobbl*, screws, came off, fell off, bracket, rod, ripped out, hardware",
    NOT_MAINTENANCE: "neighbor*, loud, noise, party, thanks, thank you, balance, bill, tip",
}

# Nobody's: these words say nothing about a trade here.
MUTE = """
        electric bill, water bill, gas bill, power bill, light bill, gas station, power company, fire truck*,
        fire department, fire dept, power line*, thank* for fixing .., thanks for the fix,
        thanks for (coming|sending) .., in the air, up in the air, at the door, door bell, doorbell, next door,
        knock* on the door, out of my room, cat named, living room, mailbox by, by the mailbox, by the dumpster,
        space heater*, heated, next to the office, screen shot, screenshot, photo attached, tv, phone, clean freak,
        heads up, my car, the car, water bottle*, bottle cap, key west, on the floor, no water on floor, ac leaked,
        fixed the ac, fixed the .., tap on, by the door, door to door, plumber already, electrician already,
        front desk, the office, no leak*, not leaking, por favor, buenas, gracias"""

# What is named right after one of these only says where, or when: "the outlet behind the fridge", "when it rains".
WHERE = frozenset(
    ("by", "near", "behind", "beside", "above", "over", "under", "underneath", "below", "beneath", "inside", "around",
     "between", "against", "front", "top", "next", "to", "from", "onto", "through", "thru",
     "junto", "cerca", "debajo", "encima", "detras"))
WHEN = frozenset(
    ("when", "while", "whenever", "time", "times", "since", "after", "before", "because", "bc", "cuando"))
IN = frozenset(("in", "on", "at", "into", "en"))
