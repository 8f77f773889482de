/**
 * The words of generated slugs: English nouns of 4 to 7 letters that are easy to type on any
 * keyboard with Latin letters, and that describe neither people nor anything that some avoid. None
 * begins with i, whose capital is another letter in Turkish, and no two look alike (rn, m).
 */
export const SLUG_WORDS: readonly string[] = `
  acorn adobe alder almond alpine amber anchor anise apple apricot apron arbor arcade arch arctic
  arrow aspen aster atlas atom attic aurora autumn avenue bagel bakery balcony ballad balloon
  bamboo banjo banner barley barn basil basin basket bayou beach beacon beaker beam bean bell
  bench berry birch biscuit blanket blossom blue board boat bonnet book border botany boulder bowl
  branch bread breeze brick bridge bronze brook broom brush bubble bucket buckle bugle burrow
  cabin cable cactus cake candle canoe canopy canvas canyon carbon card cargo carpet carrot
  cascade castle cavern cedar cello census cereal chair chalet chalk channel chapter chart cheddar
  cherry chess chime chimney circle citrus clay clef cliff climate clock cloud clover coast cobalt
  cobble cocoa coconut coffee coin collar color comet copper coral cork corner cotton cove crane
  crater crayon creek crest cricket crocus crystal cube curtain curve cushion cycle cypress dahlia
  daisy dapple dawn decade delta denim desert desk dial diamond diner dinghy dolphin dome door
  dove drawer dream drift drum dune eagle earth easel east echo eclipse elbow elder ember emerald
  engine epoch equator estuary evening fabric falcon farm feather fennel fern ferry fiddle field
  filter finch fjord flag flame flannel flask fleece flint float flora flour flower flute foam
  folder forest forge fork fossil frame freight fresco frost fruit galaxy gallery garden garland
  garlic garnet gate gazebo gecko geyser ginger glacier glade globe glove gold gondola gong
  granite gravel green grotto grove guitar gull hammer hammock harbor harp harvest hazel heath
  hedge helium helmet herald herb heron hill hinge hockey honey hood horizon hotel hour house
  jacket jasmine jetty jigsaw journal juice jungle juniper kayak kelp kernel kettle keyring kiosk
  kitchen kite kiwi koala ladder lagoon lake lamp lantern lark lattice laurel lava leaf lemon lens
  lentil letter lever library lichen light lilac lily lime linden linen lizard llama lobby lodge
  loft lotus lumber lunar lupin lyric magma magnet mallet mango mantle maple marble margin marina
  market marsh meadow medal melody melon menu mercury metal meteor metro mile mill mimosa mineral
  mint mirror mitten mobile mocha monsoon month moon mortar mosaic moss motor mound museum music
  myrtle napkin narwhal nebula nectar needle neon nest nettle nickel noodle north notch novel
  number nutmeg oasis ocean octagon octave olive onion opal opera orange orbit orchard orchid
  oregano organ origami osprey otter outpost oval oven oxygen paddle paddock pagoda paint palace
  palette palm panda panel papaya paper papyrus parade parasol parcel park parsley pastel pasture
  patio peach peak pear pearl pebble pecan pelican pencil pepper petal petunia piano pier pigment
  pilot pine pixel plain planet plank plate plateau plaza plum pocket poem polar pollen pond
  poplar poppy porch portal postage pottery prairie prism puddle puffin pulley pumpkin puzzle
  pyramid quarry quartz quill quilt quince quiver radar radio radish raft railway rain rainbow
  raisin ramp ranch raven reed reef relay ribbon rice ridge ring river robin rocket roof rose
  rowan ruby rudder saddle saffron sage sail salad salmon sand sapling satin saturn scarf scooter
  season seed sequoia shade shadow shelf shore shovel shutter signal silk silver sketch sleeve
  sleigh slope smile snow soap sofa soil solar sonata song sorbet sound soup south spade spark
  sparrow sphere spindle spiral spire sponge spring spruce square stable staple star statue steam
  steel stone stool storm story stove straw stream string sugar summer summit sunrise sunset surf
  swan swing table tablet tango tavern teal tent terrace theater thicket thimble thistle thread
  thunder ticket tide tile timber toast tomato topaz torch tower town track trail train tram
  travel tree trellis trophy trout trumpet tulip tundra tunnel turtle twig valley vanilla vault
  velvet viola violet violin vista volcano voyage waffle wagon walnut walrus water wave weather
  wheat wheel whistle willow wind window winter wood wool wreath yacht yarn yellow yogurt zebra
  zenith zephyr zinc
`
  .trim()
  .split(/\s+/)
