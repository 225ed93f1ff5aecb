import type { Readable } from 'node:stream'
import { noBrand } from '../../../kit/caller.ts'
import type { Log } from '../../../kit/log.ts'
import {
  createNetworkLimit,
  type HttpApp,
  type HttpReply,
  type HttpRequest,
  publicBodySizeBytesMax,
  sendPage,
} from '../../../platform/http/index.ts'
import { inputOf, type SuppressionScope, type Suppressions } from '../../suppressions/index.ts'
import { type LinkKind, type Links, type OpenedLink, previewToken } from '../rendering/links.ts'
import {
  goneEmailPage,
  notFoundPage,
  previewPage,
  subscribedPage,
  tooManyPage,
  undoAction,
  unsubscribePage,
} from './pages.ts'
import type { RenderWebview } from './render-webview.ts'

export interface LinkRouteParts {
  links: Links | undefined
  suppressions: Pick<Suppressions, 'add' | 'lift' | 'reasonFor'>
  renderWebview: RenderWebview
  log: Log
}

/** For browsers and mail programs, not for clients of the API. */
const options = {
  schema: { hide: true },
  config: { permission: 'public' as const },
  bodyLimit: publicBodySizeBytesMax,
}

/** Adds the pages behind the links in messages: `/unsubscribe/{token}` and `/webview/{token}`. They need no log-in. */
export function addLinkRoutes(app: HttpApp, parts: LinkRouteParts): void {
  void app.register(async (pages: HttpApp) => {
    pages.removeAllContentTypeParsers()
    // A one-click request is a form in either encoding (RFC 8058, section 3.2); only the button's name matters.
    pages.addContentTypeParser('*', async (request: HttpRequest, body: Readable) =>
      String(await pages.bodies.read(request, body)),
    )
    addUnsubscribeRoutes(pages, parts)
    addWebviewRoute(pages, parts)
  })
}

type Answer = (link: OpenedLink, request: HttpRequest, reply: HttpReply) => Promise<HttpReply>

/** Creates the handler of one kind of link: it opens the token, and throttles networks that try tokens. */
function createHandler(kind: LinkKind, { links }: LinkRouteParts, answer: Answer) {
  const limit = createNetworkLimit()
  return async (request: HttpRequest, reply: HttpReply) => {
    void reply.header('x-robots-tag', 'noindex')
    const { '*': token } = request.params as { '*': string }
    if (links !== undefined && token === previewToken) return sendPage(reply, 200, previewPage())
    const link = links?.open(kind, token)
    if (link !== undefined) return answer(link, request, reply)
    if ((await limit.take(request.ip)) > 0) return sendTooMany(reply)
    return sendPage(reply, 404, notFoundPage())
  }
}

function sendTooMany(reply: HttpReply): HttpReply {
  return sendPage(reply.header('retry-after', '60'), 429, tooManyPage())
}

/** What a link unsubscribes from first; then what an earlier message, without a brand, may have. */
function scopesOf({ brand, senderDomain }: OpenedLink): [SuppressionScope, ...SuppressionScope[]] {
  const ofDomain = { brand: noBrand, senderDomain }
  return brand === noBrand ? [ofDomain] : [{ brand, senderDomain: null }, ofDomain]
}

/** `GET` only shows the page, so a program that follows every link changes nothing. */
function addUnsubscribeRoutes(app: HttpApp, parts: LinkRouteParts): void {
  const { suppressions, log } = parts
  const reasonFor = async (link: OpenedLink) => {
    for (const scope of scopesOf(link)) {
      const reason = await suppressions.reasonFor(link.address, scope)
      if (reason !== undefined) return reason
    }
    return undefined
  }
  const show = createHandler('unsubscribe', parts, async (link, _request, reply) =>
    sendPage(reply, 200, unsubscribePage(link, await reasonFor(link))),
  )
  const change = createHandler('unsubscribe', parts, async (link, request, reply) => {
    const { address, emailId, contactId } = link
    const fields = new URLSearchParams(typeof request.body === 'string' ? request.body : '')
    if (fields.get('action') === undoAction) {
      for (const scope of scopesOf(link)) await suppressions.lift(address, scope, 'unsubscribed')
      log.info({ contactId, emailId }, 'contact subscribed again')
      const reason = await reasonFor(link)
      return sendPage(
        reply,
        200,
        reason === undefined ? subscribedPage(link) : unsubscribePage(link, reason),
      )
    }
    const source = `email ${emailId}`
    const [scope] = scopesOf(link)
    await suppressions.add([{ address, reason: 'unsubscribed', ...inputOf(scope), source }])
    log.info({ contactId, emailId }, 'contact unsubscribed')
    return sendPage(reply, 200, unsubscribePage(link, await reasonFor(link)))
  })
  app.get('/unsubscribe/*', options, show)
  app.post('/unsubscribe/*', options, change)
}

/** The sandbox gives the email an origin of its own, without scripts and forms; its links open new pages. */
const webviewPolicy =
  "sandbox allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation; default-src 'none'; style-src 'unsafe-inline'; img-src http: https: data:; base-uri 'none'; frame-ancestors 'none'"

function addWebviewRoute(app: HttpApp, parts: LinkRouteParts): void {
  const handler = createHandler('webview', parts, async (link, request, reply) => {
    const rendered = await parts.renderWebview(link, request.ip)
    if (rendered === 'busy') return sendTooMany(reply)
    if (rendered === undefined) return sendPage(reply, 404, goneEmailPage())
    return reply
      .header('content-security-policy', webviewPolicy)
      .type(`text/${rendered.kind}; charset=utf-8`)
      .send(rendered.text)
  })
  app.get('/webview/*', options, handler)
}
