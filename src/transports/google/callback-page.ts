import { h } from 'preact'
import { type HttpReply, renderPage, sendPage } from '../../http/index.ts'

/**
 * Hands the answer of Google to the page of the console that started the sign-in, and removes it from the history. Only that page
 * knows what to do with it. The console listens on this channel: web/screens/transports/google-sign-in.tsx.
 */
const script = `
new BroadcastChannel('mailyard google sign-in').postMessage(location.search)
history.replaceState(null, '', location.pathname)`

/** Sends the page that Google sends browsers to after the consent. */
export function sendCallbackPage(reply: HttpReply): HttpReply {
  const html = renderPage('Back from Google', [
    h(
      'p',
      null,
      "Google's answer is in the tab of Mailyard where you started. You can close this window.",
    ),
    h('script', { dangerouslySetInnerHTML: { __html: script } }),
  ])
  return sendPage(reply, 200, html, { script })
}

/** Sends the page for a sign-in that was not started here, or has expired. */
export function sendUnknownPage(reply: HttpReply): HttpReply {
  const message =
    'This sign-in with Google is not known, or was started more than 10 minutes ago. Start it again in Mailyard.'
  const html = renderPage('Sign-in not possible', [
    h('p', { class: 'error', role: 'alert' }, message),
  ])
  return sendPage(reply, 400, html)
}
