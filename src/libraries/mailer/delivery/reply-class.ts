// cspell:ignore addresse authenticat erro espace syntaxe configur invalide temporar

/**
 * What a refusal or a delay is about.
 * @example
 * ```ts
 * const counts = new Map(replyClasses.map((about) => [about, 0]))
 * ```
 */
export const replyClasses = [
  'address',
  'authentication',
  'relay',
  'reputation',
  'content',
  'rate',
  'mailbox',
  'size',
  'policy',
  'system',
  'temporary',
  'other',
] as const

/**
 * One of `replyClasses`. `address`: it does not exist, or is disabled for good. `temporary` and `other` say nothing of why.
 * @example
 * ```ts
 * const isOurs = (about: ReplyClass) => about === 'authentication' || about === 'reputation'
 * ```
 */
export type ReplyClass = (typeof replyClasses)[number]

type Patterns = Partial<Record<ReplyClass, RegExp>>

/** In any notation: `550 5.1.1`, `550-'5.1.1`, `#5.1.0`, `(5.1.1)`, `550_5.1.1_no`; no part of a version, an address or a date. */
const enhancedCodes = /(?<![a-z\d.])[45]\.[0-7]\.\d{1,3}(?!\.?[a-z\d])/gi
const temporaryCode = /(?<![\w.:/+[-])4(?:\d\d(?![\w:/]|\.\w)|\.\d\.\d{1,3}(?!\.?\w))/

/**
 * Codes that say enough without words, without the class.
 * @see RFC 3463, RFC 7372, RFC 7505
 * @see https://support.google.com/a/answer/3726730 (x.7.30, x.7.32, x.7.40)
 * @see https://learn.microsoft.com/exchange/mail-flow-best-practices/non-delivery-reports-in-exchange-online
 */
const exactCodes: Patterns = {
  authentication: /^7\.(2[0-7]|30|32|40|509|515)$/,
  relay: /^7\.(8|11|57)$/,
  reputation: /^7\.(60[6-9]|6[1-4]\d|70[38]|750)$/,
  rate: /^(4\.5|7\.28)$/,
  mailbox: /^2\.2$/,
  size: /^(2\.3|3\.4)$/,
}
/** The address does not exist, or is disabled. */
const addressCodes = /^(1\.(1|2|6|10)|2\.1)$/
/** What is left of other codes; most with a zero say nothing, nor do x.1.3 and x.1.4. */
const subjects: Patterns = {
  policy: /^(1\.[5789]$|7\.)/,
  mailbox: /^2\.[4-9]/,
  system: /^(3\.[1-9]|4\.|5\.[1-9])/,
  content: /^6\./,
}

/**
 * What says nothing: what stands in an address, links, versions, names of hosts, where a server has looked, and what one says of
 * every error.
 */
const addresses = /<[^\s<>@]{0,64}@[^\s<>]{0,255}>|[^\s<>@]{1,64}@[^\s<>]{1,255}/g
const besides =
  /(?<![\w.-])[\w.-]{1,253}(?:(?<=\.[a-z]{2,63}) )?\[[\da-f.:]{2,45}\]|(?<=\b(?:by|from|to|at) |\()(?!\S{0,60}(?:spamhaus|spamcop|barracuda|sorbs|bl\.))(?:[\w-]{1,63}\.){2,9}[a-z]{2,63}|\bcheck [^.;:]{0,60} and (?:try|resend)\b(?: again| to resend)?|unknown (?:address )?error|unbekannter fehler|erreur inconnue|error desconocido|errore sconosciuto|erro desconhecido|неизвестная ошибка|nieznany błąd|onbekende fout|dns hard error|https?:\S{1,500}|\([a-z][a-z ]{0,30} v?\d[\d.]{0,20}\)|\bin (?:\w{1,30} ){1,4}table\b/gi

/** The first that is found counts. */
const subjectWords: Patterns = {
  authentication:
    /\b(?:spf|dkim|dmarc|arc)\b|un-?authenticated|authentication (?:level|check|result|fail|inform|required by)|not (?:been )?authenticated/i,
  size: /too (?:big|large|long)|zu groß|größe\b|taille|tamaño|(?:demasiado|muito|troppo) grande|trop (?:gros|grand|volumineux)|\b(?:message|email|mail|maximum|file) sizes?\b|sizes? (?:limit|exceed)\w*|exceed\w* (?:the )?(?:fixed |maximum |max )?(?:message |mail )?(?:size|length)/i,
  rate: /\brates?\b|throttl\w*|too (?:many(?! hard fails)|much|fast|frequent)|\bvolume\b|频[率繁]|flood|hourly|daily|per (?:hour|day|minute|second)|(?:sending|message|recipient|connection|submission|rate) (?:quota|limit)s?\b|concurren\w+|slow down|limit (?:is )?(?:reached|exceeded)/i,
  relay:
    /\brelay(?!=)(?:ed|ing|s)?\b(?! recipient)|rcpthosts|not (?:a )?local (?:user|host|domain)|do(?:es)? not (?:accept|handle) (?:mail|messages|e-?mail) (?:for|to)|authenticat\w*|log ?in\b|credentials|password|pop before/i,
  reputation:
    /\bblock(?!quote)\w*|bloqu\w*|gesperrt|zablok\w*|geblockt|заблокир|(?:black|white|allow)[ -]?list\w*|deny-?list\w*|(?<!not )\blisted\b|\b(?:rbl|[scpxd]bl)\b|dnsbl|uceprotect|spamhaus|spamcop|barracuda|sorbs|reputation|\bptr\b|reverse|\brdns\b|\be?helo\b|\bclient\b|\bproxy\b|\bisp\b|go away|\bip\b|your (?:domain|host|server|network|ip)|abus\w+|ban(?:ned|s)\b/i,
  content:
    /spam\w*|спам|垃圾|迷惑|\bbulk\b|newsletter|filter(?:ed|s)?\b|\bpattern|fraud\w*|\bscam\b|suspect\w*|\bmime\b|bare (?:cr|lf)\b|\bheaders?\b|unsolicited|junk|content|virus\w*|malware|infected|phish\w*|suspicious|\burls?\b|attachment|banned file/i,
  system:
    /\bloop\w*|\bhops?\b|\bdns\b|timed? ?-?out|time-out|(?<!permanent )failures?\b|server error|\binternal (?:\w{1,30} )?(?:error|problem)|look-?up (?:error|failed)|database error|system error|overload|cannot connect|unable to (?:look|connect)|(?:expansion|forwarding) failed|unreachable|(?:service|server) (?:is )?(?:un|not |down|shutting)|not reachable|connection (?:was )?(?:refused|reset|lost|dropped)|lost connection|(?:can|could)(?:not|n['’]t) (?:create|write|store|open)|not be stored|error writing|i\/o error|command died|out of memory|maintenance|offline|migrat\w+|retry time|syntaxe?\b|(?:invalid|bad|unknown) (?:command|sequence)|command not|commande\b|mx records?|configur\w+|corrupt|local error|\btls\b|starttls/i,
  mailbox:
    /\b552\b|mailbox ?full|quota|suspend\w*|\bfull\b|over(?:flow|drawn|sized)?\b|storage|\bspace\b|exceed\w*|l[ií]mit\w*|\blocked\b|on hold|frozen|voll\b|überschr(?:itten|eitet)|erschöpft|kontingent|dépass|espace|insuffisant|cuota|excedid|superad|esaurit|spazio|pełn|\bvol\b|\bfuld\b|\bplná|\bdolu\b|квот|いっぱい|plein\w*|llen[oa]|pien[oa]\b|chei[oa]\b|переполнен|容量|已满/i,
  policy:
    /polic\w+|denied|permi(?:t|ss)\w*|\bonly\b|preferences|protected by|rule imposed|is not accepting|not accepting \w{1,20} from|unwanted|not want|not ?(?:allowed|authorized|authorised|accepted(?! -- invalid)|welcome)|unauthori[sz]ed|restrict\w*|prohibit\w*|forbidden|senders?\b|mail from\b|from(?: (?:address|header|domain|field)\b|:)|in from\b|reply-to|your (?:e-?mail )?address(?! ?(?:book|list))|may not (?!exist|be\b)|opt(?:ed)?[ -]?out|\bbatv\b|\bprvs\b|[ée]metteur|exp[ée]diteur|absender|emisor|remitente|remetente|mittente|afzender|avsändar|afsender|nadawc|отправител|[发寄][件信]人|送信|\breturn\b|envelope|subscri\w+|members?\b|moderat\w+|refuses|(?<!please )verif\w*|richtlinie|abgelehnt wegen|политик|verweigert|berechtigt|erlaubt|zugelassen|refusé|autori[sz]a|autorisé|interdit|denegad|permitid|negato|consentit|разреш|запрещ|отклон|[拒禁]/i,
  temporary:
    /gr[ae]y-?list\w*|\bbusy\b|\blater\b|deferr?ed|resources|temporar\w+|(?<!name is )currently|try again|(?<!not )\bretry\b|for now|until\b|expired|vorübergehend|derzeit|zurzeit|momentan|später|réessayer|plus tard|ultérieur|actuellement|actualmente|más tarde|più tardi|mais tarde|tempor[ae]\w*|временно|позже|暂时|稍后|一時的|tijdelijk|tymczasow/i,
}

/** What servers say of an address that does not exist or is disabled. */
const goneWords =
  /\b(?:no such|unknown|invalid|non-?existent|undefined)[- ]?(?:local[- ]?|virtual |e-?mail )?(?:user|person|part|mailbox|recipient|(?<!invalid )address|account|domain)(?! path)|\b(?:user(?:name| name)?|addressee|recipient|mail ?box|addresse?s?|account|domain|alias)\b[^.;:]{0,60}? ?(?:unknown|disabled|inactive|deactivated|closed|invalid|deleted|removed|terminated|no longer (?:valid|active|exists?|accepts?|available|in use)|not (?:be |an? )?(?:found|known|valid|active|defined|present|listed)|(?<!may )not exist|(?:do|is|could)(?:es)?n['’]t (?:exist|valid|known|be found))|recip(?:ient)?[- ]?notfound|user ?unknown|\bno (?:mail ?box|account|one)\b (?:here|found|by|with|at|available for)|not an? (?:known|valid|existing) (?:user|mailbox|recipient|account)|deactivated (?:mailbox|user|account)|do(?:es)?(?: not|n['’]t) have (?:an?|any) [^;:]{0,40}(?:account|mailbox|user)|has moved|unroute?able address|not our customer|null mx|nxdomain/i
/** In other languages; what contradicts them has words of its own above. */
const goneElsewhere =
  /unbekannt|existiert nicht|nicht (?:gefunden|bekannt|vorhanden)|deaktiviert|gelöscht|inexistante?\b|supprimé|plus acti[fv]|inconnue?s?\b|n['’ ]existe p(?:as|lus)|introuvable|invalide|d[ée]sactiv|définitivement fermé|no existe|desconocid[oa]|inexistente|no encontrad[oa]|desactivad[oa]|n[ãa]o existe|desconhecid|inesistente|sconosciut[oa]|non esiste|disattivat|не существует|не найден|неизвест|存在しません|見つかりません|不存在|пользователя нет|нет такого|nie istnieje|nie ma takiego|nieznany|bestaat niet|onbekend|niet gevonden|findes ikke|finns inte|neexistuje/i

const textMax = 8_000

/**
 * Returns what a server says, in its words: of a reply, of what a bounce quotes, or of what a provider reports. All codes and
 * all words of the text count, and the more cautious reading: it is about the address only if nothing in it is about anything else.
 *
 * @param text With its codes; at most 8,000 characters are read. What a program says beside it, such as `Status`, belongs in it.
 * @example
 * ```ts
 * classOfReply('550 5.7.515 Access denied, sending domain example.com does not meet …') // authentication
 * classOfReply("550-'5.1.1 no such user'") // address
 * classOfReply('550 5.1.1 too many recipients this hour') // rate
 * ```
 */
export function classOfReply(text: string): ReplyClass {
  const said = text
    .slice(0, textMax)
    .replace(/\s+|(?<=[a-z])_(?=[a-z])/gi, ' ')
    .replace(addresses, ' address ')
    .replace(besides, ' ')
  const codes = (said.match(enhancedCodes) ?? []).map((code) => code.slice(2))
  const find = (patterns: Patterns, texts: readonly string[]) =>
    (Object.keys(patterns) as ReplyClass[]).find((about) =>
      texts.some((each) => patterns[about]?.test(each)),
    )
  const exact = find(exactCodes, codes) ?? find(subjectWords, [said]) ?? find(subjects, codes)
  if (exact !== undefined) return exact
  if (temporaryCode.test(said)) return 'temporary'
  if (goneWords.test(said) || goneElsewhere.test(said)) return 'address'
  // The mailbox is disabled, or takes nothing for now: RFC 3463, section 3.3.
  if (codes.includes('2.1') && /\p{L}/u.test(said)) return 'mailbox'
  return codes.some((code) => addressCodes.test(code)) ? 'address' : 'other'
}
