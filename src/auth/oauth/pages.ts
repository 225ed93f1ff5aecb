import { type ComponentChildren, h } from 'preact'
import { render } from 'preact-render-to-string'

const style = `
  body { font: 16px/1.5 system-ui, sans-serif; margin: 0; background: #f3f4f6; color: #111827 }
  main { max-width: 24rem; margin: 10vh auto; padding: 2rem; background: #fff; border-radius: .5rem; box-shadow: 0 1px 4px #0002 }
  h1 { font-size: 1.25rem; margin: 0 0 1rem }
  label { display: block; margin: 0 0 1rem }
  input { display: block; box-sizing: border-box; width: 100%; padding: .5rem; font: inherit; border: 1px solid #9ca3af; border-radius: .25rem }
  button { padding: .5rem 1rem; font: inherit; border: 1px solid #1d4ed8; border-radius: .25rem; background: #1d4ed8; color: #fff; cursor: pointer; margin-right: .5rem }
  button.quiet { background: #fff; color: #1d4ed8 }
  .error { color: #b91c1c }
  @media (prefers-color-scheme: dark) {
    body { background: #111827; color: #f3f4f6 } main { background: #1f2937 } input { background: #111827; color: inherit }
    button.quiet { background: #1f2937; color: #93c5fd } .error { color: #fca5a5 }
  }`

/** The values that a form sends along without showing them. */
export type HiddenFields = Readonly<Record<string, string>>

/** The page that asks for user name and password. */
export function loginPage(options: {
  clientName: string
  returnTo: string
  error?: string
}): string {
  const { clientName, returnTo, error } = options
  return page('Log in', [
    h('p', null, `to let ${clientName} use Mailyard in your name.`),
    error === undefined ? null : h('p', { class: 'error', role: 'alert' }, error),
    h('form', { method: 'post', action: '/oauth/v2/authorize_login' }, [
      hidden({ return: returnTo }),
      h('label', null, [
        'User name or email',
        h('input', { name: 'username', autocomplete: 'username', required: true, autofocus: true }),
      ]),
      h('label', null, [
        'Password',
        h('input', {
          name: 'password',
          type: 'password',
          autocomplete: 'current-password',
          required: true,
        }),
      ]),
      h('button', { type: 'submit' }, 'Log in'),
    ]),
  ])
}

/** The page that asks whether an application may act for the user. */
export function consentPage(options: {
  clientName: string
  userName: string
  redirectUri: string
  fields: HiddenFields
}): string {
  const { clientName, userName, redirectUri, fields } = options
  const target = describeTarget(redirectUri)
  return page(`Let ${clientName} use Mailyard?`, [
    h(
      'p',
      null,
      `It will do whatever you may do, as ${userName}. You will be taken back to ${target}.`,
    ),
    h('form', { method: 'post', action: '/oauth/v2/authorize' }, [
      hidden(fields),
      h('button', { type: 'submit', name: 'allowed', value: 'true' }, 'Allow'),
      h('button', { type: 'submit', name: 'allowed', value: 'false', class: 'quiet' }, 'Deny'),
      h('button', { type: 'submit', name: 'logout', value: '1', class: 'quiet' }, 'Not you?'),
    ]),
  ])
}

/** The page for what cannot be sent back to the application. */
export function errorPage(message: string): string {
  return page('This does not work', [h('p', { class: 'error', role: 'alert' }, message)])
}

function page(title: string, content: ComponentChildren): string {
  const html = h('html', { lang: 'en' }, [
    h('head', null, [
      h('meta', { charset: 'utf-8' }),
      h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
      h('title', null, `${title} · Mailyard`),
      h('style', { dangerouslySetInnerHTML: { __html: style } }),
    ]),
    h('body', null, h('main', null, [h('h1', null, title), content])),
  ])
  return `<!doctype html>${render(html)}`
}

function hidden(fields: HiddenFields): ComponentChildren {
  return Object.entries(fields).map(([name, value]) => h('input', { type: 'hidden', name, value }))
}

function describeTarget(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri)
  return host === '' ? `the application (${protocol})` : host
}
