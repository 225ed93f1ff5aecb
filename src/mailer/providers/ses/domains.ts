import { isObject, objectsOf, textOf, textsOf } from '../../api/json.ts'
import type {
  DomainRecord,
  ProviderDomainState,
  ProviderDomains,
} from '../../domains/provider-domains.ts'
import type { AccountAccess } from '../account-api.ts'
import {
  askAccount,
  type DomainAccess,
  type DomainApi,
  nameOf,
  unknownState,
  unverifiedState,
  verifiedState,
} from '../domain-question.ts'
import { readEndpoint, readSigning } from './account.ts'
import { signV4 } from './sign-v4.ts'

const title = 'Amazon SES'

/** Of 200 identities each. */
const pagesMax = 20

/** More would take too long. */
const addressesMax = 5

type Json = Readonly<Record<string, unknown>>

const account: AccountAccess = {
  title,
  host: (dsn) => new URL(readEndpoint(dsn)).host,
  login(dsn) {
    const { secretAccessKey, sessionToken } = readSigning(dsn)
    return { secrets: [secretAccessKey.reveal(), sessionToken?.reveal() ?? ''] }
  },
}

/**
 * Amazon SES signs for the identity of the From domain, or of its nearest parent domain. An address that is an identity
 * of its own has its own settings, so those are read, too.
 * @see https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_GetEmailIdentity.html
 * @see https://docs.aws.amazon.com/ses/latest/dg/creating-identities.html
 */
const access: DomainAccess = {
  account,
  permission:
    'Give the IAM user the permissions ses:ListEmailIdentities and ses:GetEmailIdentity, or verify a received message. Check the region of the DSN, too.',
  refuse: ({ scheme }) =>
    /smtp/.test(scheme)
      ? 'The DSN has an SMTP log-in, which is no credential of the API of Amazon SES. Use a transport with ses+api:// and an access key, or verify a received message.'
      : undefined,
  sign: (request, { dsn, now }) => signV4(request, { ...readSigning(dsn), now }),
  async ask(api, domain, dsn) {
    const names = await listIdentities(api)
    if (names === undefined)
      return unknownState('Amazon SES lists more identities than Mailyard reads.')
    const identity = candidatesOf(domain).find((name) => names.has(name))
    const addresses = [...names].filter((name) => name.endsWith(`@${domain}`))
    if (addresses.length > addressesMax)
      return unknownState(
        `Amazon SES has ${addresses.length} addresses of ${domain} as identities, each with its own DKIM settings. Delete them, so that those of the domain count, or verify a received message.`,
      )
    const settings: Identity[] = []
    // One after the other: Amazon limits how often an identity may be read.
    for (const name of addresses) settings.push(await readIdentity(api, name))
    if (identity !== undefined)
      return stateOf({
        identity,
        domain,
        addresses: settings,
        found: await readIdentity(api, identity),
      })
    if (settings.some(({ mailFrom }) => mailFrom !== undefined))
      return unknownState(
        `Amazon SES has no identity for ${domain}, only for addresses of it, which have a MAIL FROM domain. Add the domain, so that its messages are signed for it.`,
      )
    const { region } = readSigning(dsn)
    return {
      state: 'missing',
      detail: `Amazon SES has no identity for ${domain} in the region ${region}${addresses.length === 0 ? '' : ', only for addresses of it, whose messages are not signed for the domain'}.`,
    }
  },
}

/** Lists the names of all identities; undefined if they are too many. */
async function listIdentities(api: DomainApi): Promise<Set<string> | undefined> {
  const names = new Set<string>()
  let token = ''
  for (let page = 0; page < pagesMax; page += 1) {
    const next = token === '' ? '' : `&NextToken=${encodeURIComponent(token)}`
    const listed = await api.get(`/v2/email/identities?PageSize=200${next}`)
    for (const { IdentityName: name } of objectsOf(listed['EmailIdentities']))
      names.add(textOf(name).toLowerCase())
    token = textOf(listed['NextToken'])
    if (token === '') return names
  }
  return undefined
}

/** Returns the domain and its parents, the nearest first. */
function candidatesOf(domain: string): string[] {
  const labels = domain.split('.')
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'))
}

/** The settings of an identity. */
interface Identity {
  readonly isVerified: boolean
  readonly isSigning: boolean
  /** `SUCCESS`, `PENDING`, `FAILED`, `TEMPORARY_FAILURE` or `NOT_STARTED`. */
  readonly status: string
  readonly dkim: Json
  /** The custom MAIL FROM domain, also one whose MX record was not found. */
  readonly mailFrom: string | undefined
  /** The MAIL FROM domain that is used; undefined: one of Amazon. */
  readonly returnPath: string | undefined
}

async function readIdentity(api: DomainApi, name: string): Promise<Identity> {
  const found = await api.get(`/v2/email/identities/${encodeURIComponent(name)}`)
  const { DkimAttributes: dkim, MailFromAttributes: mailFrom } = found
  const settings = isObject(dkim) ? dkim : {}
  const sender = isObject(mailFrom) ? mailFrom : {}
  const senderDomain = nameOf(sender['MailFromDomain'])
  return {
    isVerified: found['VerifiedForSendingStatus'] === true,
    isSigning: settings['SigningEnabled'] === true,
    status: textOf(settings['Status']),
    dkim: settings,
    mailFrom: senderDomain,
    returnPath: sender['MailFromDomainStatus'] === 'SUCCESS' ? senderDomain : undefined,
  }
}

interface Findings {
  readonly domain: string
  /** The domain, or a parent of it. */
  readonly identity: string
  readonly found: Identity
  /** Those of the domain's addresses that are identities. */
  readonly addresses: readonly Identity[]
}

function stateOf({ domain, identity, found, addresses }: Findings): ProviderDomainState {
  const { dkim, isSigning, isVerified, mailFrom, returnPath, status } = found
  const differs = addresses.some(
    (address) => address.isSigning !== isSigning || address.mailFrom !== mailFrom,
  )
  if (differs)
    return unknownState(
      `Addresses of ${domain} are identities of their own at Amazon SES, and their DKIM or MAIL FROM settings differ from those of ${identity}. Delete them, so that those of the domain count, or verify a received message.`,
    )
  if (status === 'TEMPORARY_FAILURE')
    return unknownState(`Amazon SES could not look up the DKIM records of ${identity}.`)
  const records = recordsOf(dkim, identity)
  if (!isVerified || status !== 'SUCCESS')
    return unverifiedState(
      `Amazon SES has not verified ${identity}: the state of its DKIM records is ${status || 'unknown'}.`,
      records,
      returnPath,
    )
  if (!isSigning)
    return unverifiedState(
      `DKIM signatures are off for ${identity} at Amazon SES. Turn them on (Identities, ${identity}, Authentication).`,
      [],
      returnPath,
    )
  return verifiedState({
    title,
    records,
    returnPath,
    detail:
      identity === domain
        ? `Amazon SES signs for ${domain}.`
        : `Amazon SES signs messages from ${domain} for ${identity}.`,
  })
}

/** Returns the records of Easy DKIM. With a key of the account only its selector is known. */
function recordsOf(dkim: Json, identity: string): DomainRecord[] {
  const isExternal = dkim['SigningAttributesOrigin'] === 'EXTERNAL'
  const zone = nameOf(dkim['SigningHostedZone']) ?? 'dkim.amazonses.com'
  return textsOf(dkim['Tokens']).flatMap((token): DomainRecord[] => {
    const name = nameOf(`${token}._domainkey.${identity}`)
    if (name === undefined) return []
    return isExternal
      ? [{ type: 'TXT', name, value: '' }]
      : [{ type: 'CNAME', name, value: `${token}.${zone}` }]
  })
}

/**
 * Each domain has selectors of its own.
 * @see https://docs.aws.amazon.com/ses/latest/dg/send-email-authentication-dkim.html
 */
export const sesDomains: ProviderDomains = {
  selectors: [],
  isComplete: false,
  refusesOthers: false,
  spf: {
    includes: ['amazonses.com'],
    envelope: { type: 'custom', records: [], isComplete: false },
  },
  link: 'https://docs.aws.amazon.com/ses/latest/dg/send-email-authentication-dkim.html',
  setUp: () => [],
  ask: (question) => askAccount(access, question),
}
