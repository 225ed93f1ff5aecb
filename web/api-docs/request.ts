import { quoteForSh } from '../lib/quote.ts'

/** A request to the API that can be sent, or shown as a command. */
export interface ApiRequest {
  method: string
  /** With the origin. */
  url: string
  headers: Readonly<Record<string, string>>
  body: string | undefined
  needsLogin: boolean
}

/** What a form of an operation is filled in with: the values by parameter, and the body as JSON. */
export interface RequestValues {
  path: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  header: Readonly<Record<string, string>>
  body: string | undefined
}

const formType = 'application/x-www-form-urlencoded'

/** Returns the request of an operation. Throws a SyntaxError where the body of a form is not JSON. */
export function requestOf(
  origin: string,
  {
    method,
    path,
    type,
    needsLogin,
  }: Pick<ApiRequest, 'method' | 'needsLogin'> & { path: string; type: string | undefined },
  values: RequestValues,
): ApiRequest {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values.path[name] ?? ''),
  )
  const query = new URLSearchParams(values.query).toString()
  const { body } = values
  const isForm = type === formType && body !== undefined
  return {
    method,
    url: `${origin}${filled}${query === '' ? '' : `?${query}`}`,
    headers: type === undefined ? values.header : { ...values.header, 'content-type': type },
    body: isForm
      ? new URLSearchParams(JSON.parse(body) as Record<string, string>).toString()
      : body,
    needsLogin,
  }
}

/** A request as a command; curl asks for the password. */
export function asCurl(
  { method, url, headers, body, needsLogin }: ApiRequest,
  user = 'NAME',
): string {
  const parts = [
    [
      'curl',
      needsLogin && `-u ${quoteForSh(user)}`,
      method !== 'GET' && `-X ${method}`,
      quoteForSh(url),
    ]
      .filter((part) => part !== false)
      .join(' '),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoteForSh(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoteForSh(body)}`]),
  ]
  return parts.join(' \\\n  ')
}
