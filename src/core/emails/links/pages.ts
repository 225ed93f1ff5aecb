import { type ComponentChildren, h } from 'preact'
import { renderPage } from '../../../platform/http/index.ts'
import type { SuppressionReason } from '../../suppressions/index.ts'
import type { OpenedLink } from '../rendering/links.ts'

/** The value of the button `action` that undoes an unsubscription. */
export const undoAction = 'undo'

/** Renders the page behind a link to unsubscribe. `reason`: why the address gets no emails; undefined if it gets them. */
export function unsubscribePage(link: OpenedLink, reason: SuppressionReason | undefined): string {
  const { senderDomain } = link
  const address = maskAddress(link.address)
  if (reason === undefined)
    return page('Unsubscribe?', [
      h('p', null, `${address} will get no more newsletters from ${senderDomain}.`),
      button('unsubscribe', 'Unsubscribe'),
    ])
  const done = h('p', null, `${address} gets no newsletters from ${senderDomain}.`)
  if (reason !== 'unsubscribed') return page('You get no newsletters', [done])
  return page('You are unsubscribed', [
    done,
    h('p', null, 'Was it a mistake?'),
    button(undoAction, 'Subscribe again', 'quiet'),
  ])
}

/** Renders the page after an unsubscription was undone. */
export function subscribedPage({ address, senderDomain }: OpenedLink): string {
  return page('You are subscribed again', [
    h('p', null, `${maskAddress(address)} gets newsletters from ${senderDomain}.`),
    button('unsubscribe', 'Unsubscribe', 'quiet'),
  ])
}

/** Renders the page behind the links of previews. */
export function previewPage(): string {
  return page('A link of a preview', [
    h(
      'p',
      null,
      'In the email that a contact gets, this link is their own. Here it changes nothing.',
    ),
  ])
}

export function notFoundPage(): string {
  return page('Page not found', [
    h('p', null, 'The link is not complete or not valid. Open it from the email again.'),
  ])
}

export function goneEmailPage(): string {
  return page('The email is not available', [h('p', null, 'It can no longer be shown as a page.')])
}

export function tooManyPage(): string {
  return page('Too many requests', [h('p', null, 'Wait a minute, then try again.')])
}

function page(title: string, content: ComponentChildren): string {
  return renderPage(title, content, { site: '' })
}

function button(action: string, label: string, kind?: string) {
  return h('form', { method: 'post' }, [
    h('button', { type: 'submit', name: 'action', value: action, class: kind }, label),
  ])
}

/** Masks an address so that only its owner recognizes it: `c•••@e•••.net`. */
export function maskAddress(address: string): string {
  const at = address.lastIndexOf('@')
  const domain = address.slice(at + 1)
  const dot = domain.lastIndexOf('.')
  const ending = dot === -1 ? '' : domain.slice(dot)
  return `${firstOf(address)}•••@${firstOf(domain)}•••${ending}`
}

function firstOf(text: string): string {
  return [...text][0] ?? ''
}
