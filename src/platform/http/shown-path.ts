import type { HttpRequest } from './http-app.ts'
import { reroutingOf } from './rerouting.ts'

/** The address of a webhook, whose segments after the id are secret: `/webhooks/transports/3/…`. */
const webhookForm = /^(\/+webhooks\/+[^/]*\/+[^/]*\/+)./i

/** The path of a URL, without its query, which may hold secrets. */
export function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}

/** The path as the client wrote it, without what may hold secrets. */
export function shownPathOf(request: HttpRequest): string {
  return reroutingOf(request)?.loggedPath ?? withoutSecrets(pathOf(request.url))
}

/** The router decodes paths, so that each spelling of the address of a webhook has its secret. */
function withoutSecrets(path: string): string {
  const [, shown] = webhookForm.exec(path.includes('%') ? decode(path) : path) ?? []
  return shown === undefined ? path : `${shown}…`
}

/** Decodes what can be decoded, and leaves the rest. */
function decode(path: string): string {
  return path.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
