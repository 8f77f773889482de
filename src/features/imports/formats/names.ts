const words = (text: string): readonly string[] => text.trim().split(/\s+/)

/** Common column names, without case, spaces and punctuation, the best one first. */
export const NAMES = {
  destination_url: words(`
    destinationurl longurl originalurl targeturl destination target longlink url redirecturl
    longlinkurl
  `),
  slug: words('slug keyword backhalf custombackhalf shortcode slashtag path key alias code'),
  short_url: words('shorturl bitlink shortlink secureshorturl link shortenedurl'),
  domain: words('domain shortdomain hostname domainfullname'),
  aliases: words('aliases'),
  title: words('title name linktitle'),
  notes: words('notes note comment comments description'),
  tags: words('tags tag labels label folder category'),
  external_id: words('externalid'),
  enabled: words('enabled active isactive'),
  redirect_status: words('redirectstatus redirecttype redirectcode statuscode'),
  forward_query: words('forwardquery redirectwithquery forwardparameters'),
  starts_at: words(`
    startsat validsince startdate validfrom activefrom startat startson availablefrom
    activationdate beginsat
  `),
  expires_at: words(`
    expiresat expiration expirydate expirein expirytime validuntil expires expiry expireson
    expiredat expiresdate expirationdate expirationtime enddate endat endsat endson expire
    expireat expireon expiredate expireddate expirationat expirydatetime expirationdatetime
    linkexpiry linkexpiration autoexpire validto activeuntil availableuntil deadline
  `),
  max_clicks: words(`
    maxclicks maxvisits clicklimit maximumclicks maximumvisits clickslimit visitlimit visitslimit
    maxhits maxclick maxvisit maxuses maximumuses maxscans maxredirects maxnumberofclicks
    maxnumberofvisits clicksmax limitclicks clickcap allowedclicks hitlimit usagelimit uselimit
    scanlimit
  `),
  fallback_url: words('fallbackurl expiredurl expirationurl expiryurl expiredredirecturl'),
  password: words('password'),
  created_at: words(
    'createdat datecreated created createdon creationdate creationtime createddate dateadded',
  ),
  clicks: words(`
    clicks totalclicks visits hits visitcount clickscount engagements totalengagements
    clicksimported
  `),
}

/** What a column can hold: a link's field, its short URL, its clicks so far, or when it was made. */
export type ImportField = keyof typeof NAMES
export const IMPORT_FIELDS = Object.keys(NAMES) as ImportField[]
