import {
  publicBodySizeBytesMax as bytesMax,
  HttpError,
  type HttpRequest,
} from '../../platform/http/index.ts'
import type { Target } from './find-target.ts'
import type { LoginAttempt } from './login-gate.ts'
import type { ServedMautic } from './served-mautics.ts'

/** Returns the log-in of an Authorization header. Undefined for a bearer token, which is too long to be guessed. */
export function attemptOf(
  request: Pick<HttpRequest, 'ip'>,
  mautic: ServedMautic,
  authorization: string | undefined,
): LoginAttempt | undefined {
  const credentials = /^basic\s+(.*)$/i.exec(authorization ?? '')?.[1]
  if (credentials === undefined) return undefined
  const [login = ''] = Buffer.from(credentials, 'base64').toString('utf8').split(':', 1)
  return createAttempt(request, mautic, login)
}

/** The accounts of a Mautic are others than Mailyard's, and than those of another Mautic. */
function createAttempt(
  { ip }: Pick<HttpRequest, 'ip'>,
  { id }: ServedMautic,
  login: string,
): LoginAttempt {
  return { address: ip, account: `mautic ${id} ${login.trim().toLowerCase()}` }
}

/** Whether a request is for Mautic's token endpoint. */
export function isTokenRequest({ readPath }: Target): boolean {
  return readPath === '/oauth/v2/token'
}

/** Reads the body of a request for a token. Throws an HttpError (413). */
export async function readTokenBody({ raw }: HttpRequest): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of raw as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new HttpError(413, `The body is larger than ${bytesMax} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Returns the log-in of a token request: that of its client, in the header, the body or the query. */
export function attemptOfToken(
  request: HttpRequest,
  { mautic, path, body }: { mautic: ServedMautic; path: string; body: Buffer },
): LoginAttempt {
  const basic = attemptOf(request, mautic, request.headers.authorization)
  if (basic !== undefined) return basic
  const text = body.toString('utf8')
  const query = path.slice(path.indexOf('?') + 1)
  const client = /^\s*\{/.test(text) ? readJsonClient(text) : undefined
  const named = client ?? new URLSearchParams(`${text}&${query}`).get('client_id') ?? ''
  return createAttempt(request, mautic, `client ${named.slice(0, 200)}`)
}

function readJsonClient(text: string): string | undefined {
  try {
    const { client_id: client } = JSON.parse(text) as Record<string, unknown>
    return typeof client === 'string' ? client : undefined
  } catch {
    return undefined
  }
}
