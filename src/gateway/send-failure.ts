import { h } from 'preact'
import { HttpError, type HttpReply, renderPage, sendPage } from '../http/index.ts'
import type { Exchange } from './forward.ts'

/** Answers a request that was not forwarded: as JSON for programs, as a page for people. */
export function sendFailure(error: unknown, { request, reply, target }: Exchange): HttpReply {
  // The rest of the body must not be taken for the next request.
  if (!request.raw.complete) reply.header('connection', 'close')
  const isPage = !target.isApi && target.kind === 'forwarded'
  if (!isPage || !(error instanceof HttpError)) throw error
  if (!request.raw.complete) request.raw.resume()
  const title = error.status >= 500 ? 'This site does not answer' : 'This request is not possible'
  const html = renderPage(title, h('p', null, error.message), { site: '' })
  return sendPage(reply.headers(error.headers), error.status, html)
}
