import type { SupportedLocale } from '../../lib/i18n/index.ts'

/**
 * Parts of words that offend, by language, in Latin letters without accents. No generated slug contains one. Languages written in other
 * scripts are there as people transcribe them. The list is for accidents of chance: it can't know
 * every word, and people may choose any slug themselves.
 */
export const FRAGMENTS: Record<SupportedLocale | 'digits', string> = {
  en: `
    anal anus arse ass bastard bdsm bitch boner boob butt chink clit cock coon cripple cum cunt
    damn death devil dick dildo dyke fag fart fck fetish fuck fuk gook hamas heil hell hitler
    homo hooker incest jerk jizz kike kill kkk knob lesb milf molest murder nazi negr nig nonce
    nude orgy paki pedo penis pimp piss poo porn prat prick pube pus puss quee rape rapist
    retard satan scrot semen sex shag shit slag slave slut sperm spic spunk suck suicid terror
    tit trann turd twat vag vulva wank whor wog xxx`,
  de: `
    arsch bloed bums depp dumm fick fotz goebbels himmler hitler hure idiot jude kack kanak kotz
    moese mongo muschi nutte pimmel piss reich sau scheis schlamp schwanz schwuchtel schwul
    spast titt trottel votze wichs`,
  fr: `
    abruti batard bicot bite bordel bougnoul branl chatte chiant chier conn couill cul encul
    foutre garce merd negre nigaud niqu nique pouffi putain pute salaud salop suce tapette
    youpin zizi`,
  es: `
    cabron cagar capull chinga chocho cojon cono culo follar gilipol hostia joder mamon maric
    marica mierd pajero pendej picha pija polla puta puto sudaca tonto verga zorra`,
  it: `
    bocchin cagna cazz coglion cornut culo fica figa finocch fottut frocia frocio merda mignott
    minchia negro pirla pompin puttan scema scemo scopa stronz terron troia vaffan zoccol`,
  'pt-BR': `
    babaca bicha boceta bosta buceta buceto cacete cagao caralh corno cuzao foda foder fodid
    macaco merda otario piranha piroca porra puta rapariga rola safad veado viad xota xoxota`,
  nl: `
    aars eikel flikker geil hoer homo kanker kech klere klojo klootz klote kut lul mof mongool
    neger neuk nikker pik poep reet slet stront sukkel teef tering trut tyfus zeik`,
  pl: `
    chuj ciot cip cwel debil dupa dupk fiut gowno huj jeba jebi jebn kurw kutas pedal piczk
    pierd pierdo pizd rucha spierd suka szmat zjeb zydek`,
  uk: `
    blia bliad blyad cyka debil gandon gavno govno hivn hivno huil hujnia hyi khokhol khui khuy
    kurv lokh moskal mudak padl pidar pidor pizd shliu srak suka svol xuy yeban yebat yobn zalup
    zhid zhopa`,
  tr: `
    amcik amk aptal dallama fahise gavat gavur gerzek got hassikt ibne kahpe kaltak kavat
    oglanci orospu pezeveng pic pust salak serefsiz sik siktir surtuk yarak yarrak yavsak`,
  ar: `
    ahbal ahmaq ayri gahba himar kafir kahba kalb kelb kess khanith khanzir khara khawal koss
    kuss kusum manyak metnak nayek neek niik qahba sharmut teez tizi zamel zani zebb zebi zobr`,
  hi: `
    behench bhadwa bhangi bhosd bhosri chamar chinaal chod choot chut chuti gaand gadha gand
    haraam haram jhaat jhat kamina kamine kutiya kutta kutti lauda laude lavda lavde lund
    madarch moot rakhail rand randi saala suar tatti`,
  ja: `
    aho ahou baka bokki chikan chinchin chinko chinpo debu ecchi gaijin hentai hinin kichiga
    kimoi kintama kuso kusoy manko omanko oppai paizuri sekkusu shine shinei unchi unko yarichin
    yarou`,
  ko: `
    boji bulal byeongs byeongsin byungsin gaesaek gaesek gaeseki geolle jaji jiral jokka jonna
    jotka michin nyeon saekki seki shibal sibal ssaeki ssang ssibal zaji`,
  'zh-Hans': `
    baichi bendan biaozi caoni cnm erbai feiwu goupi hundan jianren jiba jibai laji maibi niubi
    nmsl qunima sabi saobi shabi shagua tamad wangba yinjing zazhong zhizhang`,
  'zh-Hant': `
    bakchi chaulei chibai chihsin chisin diulei diunei ganlin ganni gauni hamgaa hamgach jiwai
    kanlin kanni lanjiao lanjiau lunyeung maltun onngau pokgai puk pukgai saifo sohai tsibai`,
  /** Numbers that stand for slogans, dates or sexual acts. */
  digits: '1312 1488 187 1933 420 666 69 88 8964',
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
