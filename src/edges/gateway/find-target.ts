import type { IncomingMessage } from 'node:http'
import type { Rerouting } from '../../platform/http/index.ts'
import type { ServedMautic, ServedMautics } from './served-mautics.ts'

/** A request to an address of a Mautic, and who answers it. */
export interface Target extends Rerouting {
  readonly mautic: ServedMautic
  /**
   * `contract`: Mailyard answers; `forwarded`: Mautic does; `elsewhere`: only Mautic's own address serves it; `malformed`:
   * servers read its path in different ways.
   */
  readonly kind: 'contract' | 'forwarded' | 'elsewhere' | 'malformed'
  /** Path and query as the client wrote them, without the prefix. */
  readonly path: string
  /** The path as Mautic reads it, without query: another spelling of `path`. */
  readonly readPath: string
}

/** Where the router finds what is not the contract's. A request from outside has no target there. */
export const forwardPath = '/mautic'

const targetKey = Symbol('target')

type TargetedHead = IncomingMessage & { [targetKey]?: Target }

/** Returns the target of a request; undefined for one to Mailyard itself. */
export function targetOf({ raw }: { raw: TargetedHead }): Target | undefined {
  return raw[targetKey]
}

/** Finds the target of a request: by its Host header, else by the prefix `/mautic/{name}`. It runs for each request of Mailyard. */
export function findTarget(
  mautics: ServedMautics,
  head: TargetedHead,
  url: string,
): Target | undefined {
  const mautic = mautics.findByHost(head.headers.host)
  const target =
    mautic === undefined ? findByPrefix(mautics, url) : createTarget(mautic, { prefix: '', url })
  if (target !== undefined) head[targetKey] = target
  return target
}

const prefixForm = /^\/mautic\/([a-z0-9-]{1,63})(?=[/?#]|$)/

function findByPrefix(mautics: ServedMautics, url: string): Target | undefined {
  if (!url.startsWith('/mautic/')) return undefined
  const [prefix, name = ''] = prefixForm.exec(url) ?? []
  const mautic = mautics.findByName(name)
  if (mautic === undefined || prefix === undefined) return undefined
  return createTarget(mautic, { prefix, url: url.slice(prefix.length) || '/' })
}

const contractForm = /^\/api\/(?:multipleTransports?|twigTemplates)(?=[/?]|$)/
/** The API of Mautic and its OAuth. */
const forwardedForm = /^\/(?:api|oauth)(?=[/?]|$)/
/** The pages of OAuth where people log in. They need the cookies of Mautic's own address. */
const loginPageForm = /^\/oauth\/v2\/authorize/i

function createTarget(
  mautic: ServedMautic,
  { prefix, url }: { prefix: string; url: string },
): Target {
  const readPath = readPathOf(url, mautic.basePath)
  const loggedPath = prefix + loggedPathOf(url)
  const common = { mautic, prefix, path: url, readPath, loggedPath }
  if (contractForm.test(url)) return { ...common, kind: 'contract', url, keepsMethod: false }
  const kind = url.includes('#') || hasDotSegments(url) ? 'malformed' : placeOf(url, readPath)
  return { ...common, kind, url: forwardPath, keepsMethod: true }
}

function placeOf(url: string, readPath: string): 'forwarded' | 'elsewhere' {
  return isForwarded(url) && !loginPageForm.test(readPath) ? 'forwarded' : 'elsewhere'
}

/** Whether the gateway forwards this path. */
export function isForwarded(path: string): boolean {
  return forwardedForm.test(path)
}

/**
 * Paths of the API are logged without their query. Paths of pages may hold an address or a secret, such as those of the
 * links in emails, so only their first part is logged.
 */
function loggedPathOf(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1)
  const [first = ''] = /^\/[^/]*/.exec(path) ?? []
  return isForwarded(path) || first.length === path.length ? path : `${first}/…`
}

/** How often a server may decode a path. */
const decodingsMax = 3

/**
 * Returns a path as servers before Mautic and Mautic itself may read it: decoded, without empty segments, `.` and `..`,
 * without the front controller and a slash at the end. It decides how a request is handled; the client's own spelling is
 * forwarded.
 */
function readPathOf(url: string, basePath: string): string {
  let [path = ''] = url.split(/[?#]/, 1)
  for (let count = 0; count < decodingsMax && path.includes('%'); count += 1)
    // PHP decodes what it can, and leaves the rest.
    path = path.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
  const resolved = resolvePath(basePath + path.replaceAll('\\', '/'))
  const isInFolder = resolved === basePath || resolved.startsWith(`${basePath}/`)
  const pathInMautic = isInFolder ? resolved.slice(basePath.length) : resolved
  return pathInMautic.replace(/^\/index(?:_dev)?\.php(?=\/|$)/i, '') || '/'
}

/** Resolves empty segments, `.` and `..`; there is no slash at the end. `posix.normalize` takes the square of the length. */
function resolvePath(path: string): string {
  const segments: string[] = []
  for (const segment of path.split('/'))
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  return `/${segments.join('/')}`
}

/**
 * Whether a path has segments `.` or `..`, also encoded: a server that resolves them would find a page, or leave the folder
 * of Mautic.
 */
function hasDotSegments(url: string): boolean {
  let [path = ''] = url.split('?', 1)
  for (let count = 0; count <= decodingsMax; count += 1) {
    if (/[/\\]\.{1,2}(?:[/\\;]|$)/.test(path)) return true
    if (!path.includes('%')) return false
    const decoded = decode(path)
    // What cannot be decoded is refused as it was sent, and left alone as a result.
    if (decoded === undefined) return count === 0
    path = decoded
  }
  return true
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
