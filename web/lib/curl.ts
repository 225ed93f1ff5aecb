import { signal } from '@preact/signals'
import { mask, maskDsn } from './hide-secrets.ts'
import { quoteForSh } from './quote.ts'

/** A request that can be repeated in a terminal. */
export interface SentRequest {
  method: string
  /** Path and query. */
  url: string
  body: string | undefined
  isRead: boolean
  /** The path of the screen that sent it. */
  screen: string
}

const requestsMax = 8

/** The last requests, the newest first: one for each method and path, without secrets and requests of a session. */
export const sentRequests = signal<readonly SentRequest[]>([])

/** Notes a request for "copy as curl". */
export function noteRequest(url: string, { method = 'GET', body }: RequestInit, isRead: boolean) {
  if (isOfSession(url) || isOfDsn(url)) return
  const { pathname: screen } = globalThis.location
  const shown = typeof body === 'string' ? maskSecrets(body) : undefined
  const sent = { method, url, body: shown, isRead, screen }
  const others = sentRequests.value.filter((other) => requestKey(other) !== requestKey(sent))
  const ofScreen = others.filter((other) => other.screen === screen || !other.isRead)
  sentRequests.value = [sent, ...ofScreen].slice(0, requestsMax)
}

/** Masks passwords and DSNs in JSON: a command ends up in the history of a shell. */
function maskSecrets(json: string): string {
  return JSON.stringify(JSON.parse(json), (name, value: unknown) => {
    if (typeof value !== 'string') return value
    if (/password|confirm|secret|token/i.test(name)) return mask
    return name === 'mailerDsn' ? maskDsn(value) : value
  })
}

/** Whether a request logs in or out: its body has a password. */
export function isOfSession(url: string): boolean {
  return /^\/api\/session(?:\/|$)/.test(url)
}

/** Whether a request only translates a DSN, or gets a part of it. Secrets may be in any of its fields. */
function isOfDsn(url: string): boolean {
  return /^\/api\/multipleTransports\/(?:dsn|oauth)\//.test(url)
}

function requestKey({ method, url }: SentRequest): string {
  return `${method} ${url.split('?')[0]}`
}

/** A request as a command that does the same; curl asks for the password. */
export function asCommand({ method, url, body }: SentRequest, username: string): string {
  const target = new URL(url, globalThis.location.href).href
  const data =
    body === undefined ? '' : ` -H 'content-type: application/json' -d ${quoteForSh(body)}`
  const verb = method === 'GET' ? '' : ` -X ${method}`
  return `curl -u ${quoteForSh(username)}${verb} ${quoteForSh(target)}${data}`
}
