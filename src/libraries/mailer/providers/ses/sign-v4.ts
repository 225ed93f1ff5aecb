import { createHash, createHmac } from 'node:crypto'
import type { HttpRequest } from '../../connect/http-message.ts'
import type { Secret } from '../../secret.ts'

/** The credentials, the service and the time of a signature. */
export interface SigningScope {
  readonly accessKeyId: string
  readonly secretAccessKey: Secret
  /** The token of temporary credentials; null for an access key of a user. */
  readonly sessionToken: Secret | null
  readonly region: string
  readonly service: string
  readonly now: Date
}

const algorithm = 'AWS4-HMAC-SHA256'

/**
 * Signs a request with AWS Signature Version 4: adds `x-amz-date`, the session token and `authorization`. The signature
 * covers the host and every header of the request.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function signV4(request: HttpRequest, scope: SigningScope): HttpRequest {
  const timestamp = scope.now.toISOString().replace(/[-:]|\.\d{3}/g, '')
  const url = new URL(request.url)
  const headers: Record<string, string> = { ...request.headers, 'x-amz-date': timestamp }
  if (scope.sessionToken !== null) headers['x-amz-security-token'] = scope.sessionToken.reveal()

  const signed = canonicalHeaders({ ...headers, host: url.host })
  const signedNames = signed.map(([name]) => name).join(';')
  const canonicalRequest = [
    request.method,
    canonicalPath(url),
    canonicalQuery(url),
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    signedNames,
    sha256(request.body),
  ].join('\n')
  const date = timestamp.slice(0, 8)
  const credentialScope = `${date}/${scope.region}/${scope.service}/aws4_request`
  const stringToSign = [algorithm, timestamp, credentialScope, sha256(canonicalRequest)].join('\n')
  const signature = hmac(signingKey(date, scope), stringToSign).toString('hex')
  const authorization = `${algorithm} Credential=${scope.accessKeyId}/${credentialScope}, SignedHeaders=${signedNames}, Signature=${signature}`
  return { ...request, headers: { ...headers, authorization } }
}

function canonicalHeaders(headers: Record<string, string>): [string, string][] {
  return Object.entries(headers)
    .map(([name, value]): [string, string] => [
      name.toLowerCase(),
      value.trim().replace(/ {2,}/g, ' '),
    ])
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

function canonicalPath({ pathname }: URL): string {
  // Every service but S3 requires the encoded path to be encoded a second time.
  return pathname.split('/').map(encode).join('/')
}

function canonicalQuery({ searchParams }: URL): string {
  return [...searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&')
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function signingKey(date: string, { secretAccessKey, region, service }: SigningScope): Buffer {
  const parts = [date, region, service, 'aws4_request']
  return parts.reduce<Buffer>(hmac, Buffer.from(`AWS4${secretAccessKey.reveal()}`))
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
