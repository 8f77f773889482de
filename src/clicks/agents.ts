/**
 * Patterns of user agents of programs, by purpose. The first matching list decides. Sources: the
 * services' documentation of their agents.
 */
interface AgentList {
  readonly kind: 'bot' | 'preview'
  readonly reason: AgentReason
  readonly pattern: RegExp
}

/** Why a user agent isn't a person's; stable keywords of the API. */
export type AgentReason =
  | 'unfurler'
  | 'search_engine'
  | 'ai'
  | 'monitor'
  | 'security'
  | 'feed'
  | 'headless'
  | 'library'
  | 'crawler'
  | 'script'

/** A case-insensitive alternation of regular expressions, separated by white space. */
function oneOf(words: string): RegExp {
  return new RegExp(words.trim().split(/\s+/).join('|'), 'i')
}

/** The order matters: `Slackbot` would match as a crawler, and iMessage names Facebook and X. */
export const AGENT_LISTS: readonly AgentList[] = [
  {
    kind: 'preview',
    reason: 'unfurler',
    // Signal sends WhatsApp's agent, Instagram, Threads and Messenger Facebook's, LINE and
    // KakaoTalk Facebook's followed by their own.
    pattern: oneOf(String.raw`
      line-poker kakaotalk-scrap slackbot slack-imgproxy twitterbot facebookexternalhit facebot\b
      meta-externalfetcher ^whatsapp/ discordbot telegrambot linkedinbot ^linkedin-
      skypeuripreview microsoftpreview bingpreview msoffice ms-office microsoft\soffice
      developers\.google\.com/\+/web/snippet google\sweb\spreview google-pagerenderer
      googleimageproxy google-read-aloud yahoo\slink\spreview yahoomailproxy
      ^pinterest/\d.*\+http pinterestbot redditbot ^viber/ ^viberbot cardyb iframely embedly
      \bmastodon/ \bpleroma\b \bakkoma\b \bmisskey/ summalybot \bfriendica\b \blemmy/ \bpeertube/
      \bpixelfed/ \bgotosocial\b \bfirefish/ \bsharkey/ \biceshrimp\b \bcalckey/ \bhubzilla\b
      \bbookwyrm/ \bmobilizon\b \bwafrn\b \bcherrypick/ \bkbin \bmbin/ \bactivitypub\b
      synapse matrix-media-repo ^mattermost rocket\.?chat zulip snap\surl\spreview
      notionembedder ^tumblr/ vkshare odklbot flipboardproxy quora\slink\spreview
      xing-contenttabreceiver bitlybot nextcloud\sserver steamchaturllookup zalo-?bot
      trello-?(?:link)?preview revoltbot ^january/ guildedbot wire-?link-?preview
      (?:link|url|page|web|website)[-_\s]?(?:preview|expand|unfurl) unfurl open-?graph
      og-?scraper \bpreview/
    `),
  },
  {
    kind: 'bot',
    reason: 'ai',
    pattern: oneOf(String.raw`
      gptbot chatgpt-user oai-searchbot oai-adsbot claudebot claude-user claude-web
      claude-searchbot claude-code anthropic-ai perplexitybot perplexity-user ccbot bytespider
      meta-externalagent meta-webindexer meta-externalads google-cloudvertexbot google-notebooklm
      google-agent gemini-deep-research amazonbot amzn-(?:searchbot|user) cohere- diffbot youbot
      mistralai duckassistbot ai2bot timpibot omgili webzio-extended imagesiftbot img2dataset
      deepseekbot pangubot kangaroo\sbot manus-user ^openai/ panscient velenpublicwebcrawler
      liner-?bot andibot phindbot tavilybot firecrawl novaact novellum
    `),
  },
  {
    kind: 'bot',
    reason: 'search_engine',
    pattern: oneOf(String.raw`
      googlebot adsbot-google mediapartners-google google-inspectiontool googleother
      storebot-google google-site-verification google-safety bingbot msnbot adidxbot duckduckbot
      duckduckgo-favicons yandex\w*bot yandex\.com/bots yadirectfetcher ^yandex baiduspider
      sogou\s?\w*\s?(?:spider|web) 360spider yisouspider \bslurp\b applebot seznambot petalbot
      \byeti/\d naverbot daum(?:oa|/) coccocbot mojeekbot qwant(?:bot|ify) exabot kagibot
      bravebot mail\.ru_?bot seekport gigabot marginalia
    `),
  },
  {
    kind: 'bot',
    reason: 'monitor',
    pattern: oneOf(String.raw`
      uptimerobot uptime-kuma uptimebot pingdom statuscake site24x7 better\s?uptime better\s?stack
      hetrixtools updown\.io freshping datadog newrelic nr-synthetics catchpoint checklyhq checkly
      ohdear cronitor nodeping montastic monitis monibot check_http nagios zabbix
      blackbox\sexporter prometheus/ kube-probe elb-healthchecker googlehc
      googlestackdrivermonitoring google-cloud-(?:uptime|scheduler) amazon-route53-health traffic\smanager
      healthcheck haproxy chrome-lighthouse google\spage\sspeed pagespeed gtmetrix \bptst[\s/]
      speedcurve dareboost dotcom-monitor alertsite 24x7 synthetic w3c_ validator linkcheck
      \bmonitor(?:ing)?\b
    `),
  },
  {
    kind: 'bot',
    reason: 'security',
    pattern: oneOf(`
      censys zgrab masscan nmap nessus nikto sqlmap shodan expanse paloalto internet-?measurement
      leakix netcraft urlscan virustotal barracuda mimecast proofpoint symantec bitdefender
      forcepoint trendmicro safe-?links nuclei wpscan dirbuster gobuster burpcollaborator openvas
      acunetix netsparker cloudflare-?(?:radar|security|ssl) securityheaders hardenize watchtowr
      ^clamav criminalip onyphe stretchoid onetrust cookiebot cookie-?(?:scan|script|yes|hub)
      trustarc osano termly-?scan iubenda didomi-?(?:bot|scan) usercentrics-?(?:bot|scan)
      termsfeed transcend/ ketch/ securiti/ secureframe siteimprove qualys tenable invicti
      zscaler phish-?tank checkphish sucuri securityscorecard bitsight sansec sophos fortinet
      umbrella menlo.?security sitelock assetnote intruder.io checkmarknetwork
      detectify owasp rapid7 insightappsec snyk/
    `),
  },
  {
    kind: 'bot',
    reason: 'feed',
    pattern: oneOf(String.raw`
      feedly feedbin feedburner feedfetcher feedspot feedpress inoreader newsblur bloglines
      tiny\stiny\srss miniflux freshrss netnewswire theoldreader commafeed overcast/ podcast
      \brss\b feedparser superfeedr newsify
    `),
  },
  {
    kind: 'bot',
    reason: 'headless',
    pattern: oneOf(`
      headless phantomjs puppeteer playwright selenium webdriver cypress slimerjs jsdom htmlunit
      prerender cutycapt wkhtmlto splash browserless testcafe nightmare
    `),
  },
  {
    kind: 'bot',
    reason: 'library',
    // An app's own requests have the agent of its HTTP library, its web view that of a browser.
    pattern: oneOf(String.raw`
      ^curl ^wget ^python ^aiohttp ^httpx python-(?:requests|urllib|httpx) ^go-http-client
      ^okhttp ^java/ ^java-http apache-httpclient ^apache- ^libwww ^lwp ^ruby ^faraday ^guzzle
      ^php ^symfony ^axios ^node ^undici ^got\b ^bun/ ^deno/ ^dart ^reqwest ^hyper/ ^ureq ^surf/
      postman ^insomnia ^httpie ^xh/ ^scrapy ^colly ^restsharp ^dalvik/ cfnetwork/ ^winhttp
      powershell ^http\.rb ^typhoeus ^rest-client ^mechanize ^unirest ^hackney ^req/ ^finch
      ^nim ^lua-resty ^perl ^www-mechanize ^cpp-httplib ^cpr/ ^libcurl ^aria2 ^axel ^nsplayer
      ^ktor ^jersey ^jakarta ^jetty ^spring ^elixir ^erlang ^swift ^alamofire ^wordpress/
      microsoft\surl\scontrol winhttprequest ^rpt-http ^ahc/ ^asynchttp
    `),
  },
]

/** Words that crawlers use for themselves, for agents that isbot knows but no list has. */
export const CRAWLER_WORDS =
  /bot\b|bots\b|bot[/_]|crawl|spider|archive|\+?https?:|scrape|fetch|index/i

/**
 * Browsers embedded in apps. Their agents contain the app, its vendor and sometimes the phone's,
 * which match isbot's general words (`google`, `news`, `url`).
 */
export const IN_APP = oneOf(String.raw`
  \bFB(?:AN|AV|_IAB)/ \bInstagram\s\d \bBarcelona\s\d \bTwitter\sfor\b \bTwitterAndroid\b
  \bLinkedInApp\b \bMicroMessenger/ \bLine/\d \bKAKAOTALK\b \bSnapchat/\d \[Pinterest/ \bPinterest\sfor\b
  \bmusical_?ly \bBytedance \btrill_\d \bBytedanceWebview \bNewsArticle/ \bTikTok\b \bGSA/\d
  \bSlack(?:_SSB)?/\d \bTeams/\d \bDiscord/\d \bReddit/ \bTelegram(?:-Android|-iOS|/) \bViber/\d
  \bWhatsApp/\d \bWeibo \bDingTalk/ \bAliApp\( \bZalo(?:Theme)?/ \bVKAndroidApp \bNAVER\( \bDaumApps/
  \bBaiduBoxApp/ \bKlarna/ \bPhantom/ \bMetaMaskMobile \bTrustWallet \bFlipboard/ \bPocket/
  \bYaApp_ \bYaSearchBrowser/ \bFlamingo/ \bNextdoor \bBluesky/ \bMessengerLite \bOutlook-(?:iOS|Android)
`)

/** How a browser embedded in an app begins its agent; the app's own requests begin otherwise. */
export const EMBEDDED = /^(?:Mozilla\/|\[?FB(?:AN|AV)\/|(?:Instagram|Barcelona) \d)/

/** A desktop browser's agent followed by a name without a version: scanners put theirs there. */
export const NAMED_SCRIPT =
  /^Mozilla\/5\.0 \((?:Windows NT|Macintosh;|X11;)[^)]*\).* Chrome\/[\d.]+ Safari\/[\d.]+ (?!WindowsWechat$)[A-Za-z][A-Za-z .-]*$/

/** Browsers that match isbot's general words for programs. */
export const BROWSERS = oneOf(String.raw`
  ^lynx/ ^w3m/ ^e?links[\s/(] ^netsurf/ ^dillo/ ^ucweb/ ^opera/ ^nokia ^blackberry ^sonyericsson
  ^lg-?\w+/ ^samsung-?\w+[/-] ^mot- ^maui ^jiophone
`)

/** Words that no browser's agent contains, embedded or not. */
export const NEVER_A_BROWSER =
  /bot\b|bots?[/_]|crawl|spider|externalhit|headless|lighthouse|preview\b|https?:|phantomjs|selenium|pagespeed/i
