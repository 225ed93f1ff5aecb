import { isIP } from 'node:net'
import type { FaultDetails } from '../../kit/app-error.ts'
import { secretMask } from '../../libraries/mailer/index.ts'

const hostForm =
  /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** Normalizes a host name: lower case, without a final dot. Returns undefined for anything else, such as an address. */
export function readHostName(text: string): string | undefined {
  const name = text.trim().toLowerCase().replace(/\.$/, '')
  return hostForm.test(name) && isIP(name) === 0 ? name : undefined
}

/** Normalizes the URL of a Mautic: without a slash at the end. Returns undefined for one that cannot be its base. */
export function readBaseUrl(text: string): string | undefined {
  if (!/^https?:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text)) return undefined
  const { protocol, host, pathname, search, hash, username, password } = new URL(text)
  if (search !== '' || hash !== '' || username !== '' || password !== '') return undefined
  if (/[?#@]/.test(text)) return undefined
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`
}

/** Finds faults of single values, which may have any type. The console is served under the host name `publicHost`. */
export function findValueFaults(
  values: Readonly<Record<string, unknown>>,
  publicHost: string,
): FaultDetails {
  const { url } = values
  const hosts: readonly unknown[] = Array.isArray(values['hosts']) ? values['hosts'] : []
  const faults: FaultDetails = {}
  if (typeof url === 'string' && readBaseUrl(url) === undefined)
    faults['url'] = [
      'must be an http or https URL without user, query and fragment, such as https://mautic.example.com',
    ]
  const wrong = hosts.filter((host) => typeof host === 'string' && readHostName(host) === undefined)
  if (wrong.length > 0)
    faults['hosts'] = [
      `must be host names without a port, such as mautic-api.example.com; wrong: ${wrong.slice(0, 5).join(', ').slice(0, 200)}`,
    ]
  if (hosts.some((host) => typeof host === 'string' && readHostName(host) === publicHost))
    faults['hosts'] = [
      `must not have ${publicHost}, where Mailyard itself is served (MAILYARD_PUBLIC_URL); give API clients another host name`,
    ]
  return faults
}

/** What a Mautic is logged in to with. */
export interface MauticCredentials {
  clientId: string | null
  username: string | null
  /** The secret of the client or the password of the user; undefined: the stored one. */
  secret: string | undefined
}

/** The credentials of an input, and where they are sent. */
interface CredentialInput {
  url: string
  clientId?: string | null
  clientSecret?: string | null
  username?: string | null
  password?: string | null
}

/** How the credentials are stored now. */
export interface StoredCredentials {
  url: string
  client_id: string | null
  username: string | null
}

/** Reads the credentials of an input, whose secret may be masked, and finds their faults. */
export function readCredentials(
  input: CredentialInput,
  stored: StoredCredentials | undefined,
): { credentials: MauticCredentials; faults: FaultDetails } {
  const { clientId, clientSecret, username, password } = {
    clientId: input.clientId || null,
    clientSecret: input.clientSecret || null,
    username: input.username || null,
    password: input.password || null,
  }
  const isClient = clientId !== null
  const secret = isClient ? clientSecret : password
  const credentials = { clientId, username, secret: secret ?? undefined }
  const field = isClient ? 'clientSecret' : 'password'
  if (isClient && username !== null)
    return {
      credentials,
      faults: { username: ['must be null with clientId: give one of the two'] },
    }
  if (!isClient && username === null)
    return { credentials, faults: { clientId: ['is required, or username and password'] } }
  if (username?.includes(':')) return { credentials, faults: { username: ['must have no colon'] } }
  if (secret === null) return { credentials, faults: { [field]: ['is required'] } }
  if (secret !== secretMask) return { credentials, faults: {} }
  const isKept = isClient
    ? (stored?.client_id ?? null) !== null
    : (stored?.username ?? null) !== null
  const fault = isKept ? movedFault(input, stored) : 'is the mask of a secret; give the secret'
  const faults = fault === undefined ? {} : { [field]: [fault] }
  return { credentials: { ...credentials, secret: undefined }, faults }
}

/** A stored secret is not sent to another host, port or scheme than the one that it was entered for. */
function movedFault({ url }: CredentialInput, stored: StoredCredentials | undefined) {
  const baseUrl = readBaseUrl(url)
  if (stored === undefined || baseUrl === undefined) return undefined
  const isSame = new URL(baseUrl).origin === new URL(stored.url).origin
  return isSame ? undefined : 'must be given again, because url names another host, port or scheme'
}

/** Finds what is valid and probably wrong. */
export function findMauticWarnings(mautic: { url: string; hosts: readonly string[] }): string[] {
  const { protocol, hostname } = new URL(mautic.url)
  const warnings: string[] = []
  if (protocol === 'http:' && hostname.includes('.') && isIP(hostname) === 0)
    warnings.push('The secret is sent unencrypted: use https in url.')
  if (mautic.hosts.includes(hostname))
    warnings.push(
      `${hostname} is both in url and in hosts, which are names for API clients. If it leads to Mailyard, Mautic's pages, links and tracking pixel are not found: take it out of hosts.`,
    )
  return warnings
}
