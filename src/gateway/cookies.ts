/** The cookies of Mailyard's console and of its consent page. Mautic neither gets nor sets them. */
const ownCookies: ReadonlySet<string> = new Set(['mailyard_console', 'mailyard_session'])

/** Removes Mailyard's cookies from a Cookie header. Returns undefined where nothing is left. */
export function removeOwnCookies(header: string): string | undefined {
  if (!header.includes('mailyard_')) return header
  const kept = header.split(';').filter((pair) => !ownCookies.has(nameOf(pair)))
  return kept.length === 0 ? undefined : kept.join(';').trim()
}

/** Where the cookies of Mautic are set. */
export interface CookieScope {
  /** Begins the paths of the client: `/mautic/acme`, or empty. */
  prefix: string
  /** The path of Mautic's own address; often empty. */
  basePath: string
  /** The host name of Mautic's own address. */
  hostname: string
}

/**
 * Returns a Set-Cookie header for the client; undefined for a cookie of Mailyard's name. Under a prefix, the cookie is
 * limited to it, so that the console never gets it.
 */
export function rewriteSetCookie(header: string, scope: CookieScope): string | undefined {
  const [pair = '', ...attributes] = header.split(';')
  if (ownCookies.has(nameOf(pair))) return undefined
  const { prefix, basePath, hostname } = scope
  const kept = attributes.filter((attribute) => {
    const name = nameOf(attribute).toLowerCase()
    if (name === 'path') return prefix === '' && basePath === ''
    const isOwn = name === 'domain' && valueIn(attribute).replace(/^\./, '') === hostname
    return !isOwn && !(prefix !== '' && name === 'domain')
  })
  if (prefix === '' && basePath === '') return [pair, ...kept].join(';')
  const path = attributes.find((attribute) => nameOf(attribute).toLowerCase() === 'path')
  return [pair, ...kept, ` Path=${rewritePath(valueIn(path ?? ''), scope)}`].join(';')
}

function rewritePath(path: string, { prefix, basePath }: CookieScope): string {
  const isBelow = basePath !== '' && (path === basePath || path.startsWith(`${basePath}/`))
  const own = isBelow ? path.slice(basePath.length) : path
  return prefix + (own.startsWith('/') ? own : '/')
}

function nameOf(pair: string): string {
  const at = pair.indexOf('=')
  return (at === -1 ? pair : pair.slice(0, at)).trim()
}

function valueIn(pair: string): string {
  const at = pair.indexOf('=')
  return at === -1 ? '' : pair.slice(at + 1).trim()
}
