/**
 * Parts of words that offend, by language, in Latin letters: as they are spelled, without accents,
 * or as they are usually transcribed. No generated slug contains one. The list is for accidents of
 * chance: it can't know every word, and people may choose any slug themselves.
 */
const FRAGMENTS = {
  en: `
    anal anus arse ass bastard bitch boner boob butt clit cock coon cum cunt damn dick dildo dyke
    fag fart fck fuck gook hell homo jerk jizz kike kill kkk knob milf nazi negr nig nude orgy paki
    pedo penis piss poo porn prick pube pus puss quee rape rapist sex shit shag slag slut spic suck
    tit turd twat vag wank whor xxx`,
  de: 'arsch bums depp fick fotz hitler hure kack kanak moese muschi nutte pimmel piss scheis schwul sau titt trottel wichs',
  fr: 'bite bougnoul chatte chier conn couill cul encul foutre merd negre niqu nique pute putain salop zizi',
  es: 'cabron cagar chinga cojon cono culo joder maric mierd pendej pija polla puta puto verga zorra',
  it: 'bocchin cazz coglion culo fica figa frocio merda minchia negro puttan scopa stronz troia zoccol',
  'pt-BR':
    'boceta bosta buceta buceto cacete caralh foda foder fodid merda porra puta rola viad xota',
  nl: 'eikel flikker geil hoer kanker klootz klote kut lul mongool neuk nikker poep reet slet tering tyfus',
  pl: 'cip chuj cwel debil dupa gowno huj jeba kurw piczk pierdo pizd szmat zjeb',
  uk: 'bliad blyad gandon gavno govno hivno khui khuy mudak pizd yeban yebat suka xuy zhopa',
  tr: 'amcik got ibne kahpe orospu pezeveng pic sik salak siktir yarak yarrak',
  ar: 'ahbal kalb khara kess koss kuss manyak metnak sharmut teez tizi zamel zebb zobr',
  hi: 'bhosd bhosri chod chut chuti gaand gand haraam jhat kutta kutti lauda lavda lund madarch randi rand',
  ja: 'ahou baka chinko chinpo hentai kusoy kuso manko shine unko yarou',
  ko: 'boji gaesaek jaji jiral shibal sibal ssibal byungsin byeongsin michin',
  'zh-Hans': 'caoni cnm nmsl shabi sabi tamad wangba hundan jiba',
  'zh-Hant': 'diulei puk gai7 lunyeung onngau',
  /** Numbers that stand for slogans, dates or sexual acts. */
  digits: '1312 1488 1933 187 420 666 69 88 8964',
}

const OFFENSIVE = new RegExp(
  Object.values(FRAGMENTS)
    .flatMap((list) => list.trim().split(/\s+/))
    .join('|'),
)
const SEPARATORS = /[-_.~/]/g

/** Whether a generated text contains an offensive word, also across its separators. */
export function offends(text: string): boolean {
  return OFFENSIVE.test(text.toLowerCase().replaceAll(SEPARATORS, ''))
}
