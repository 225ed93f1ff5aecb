import type { Body } from '../lib/api.ts'
import { hasWords, wordsOf } from '../lib/find-matches.ts'
import { applyLooks } from '../lib/looks.ts'
import { type ApiRequest, asCurl, requestOf } from './request.ts'
import { apiDocsWords as words } from './words.ts'

/** The script of the pages of the API: the colours of the console, search, commands with the reader's values, and "try it". */
applyLooks()
addEventListener('storage', () => applyLooks())
addEventListener('DOMContentLoaded', () => {
  const menu = one<HTMLElement>('#menu')
  addSearch(menu)
  markPlace(menu)
  addEventListener('hashchange', () => markPlace(menu))
  let user: string | undefined
  for (const section of document.querySelectorAll<HTMLElement>('.request'))
    addRequest(section, () => user)
  void showSession().then((name) => {
    user = name
    for (const form of document.forms) form.dispatchEvent(new Event('input'))
  })
})

function one<T extends Element>(selector: string, parent: ParentNode = document): T {
  const element = parent.querySelector<T>(selector)
  if (element === null) throw new Error(`The page has no ${selector}.`)
  return element
}

/** Marks the operation of the address in the menu. A menu over the page is closed by its links. */
function markPlace(menu: HTMLElement): void {
  const { hash, pathname } = location
  if (menu.matches(':popover-open')) {
    // It gives the focus back to its button.
    menu.hidePopover()
    const place = document.getElementById(hash.slice(1))
    place?.focus({ preventScroll: true })
    place?.scrollIntoView()
  }
  for (const link of menu.querySelectorAll<HTMLAnchorElement>('li > a')) {
    const isHere = hash !== '' && link.hash === hash && link.pathname === pathname
    if (isHere) link.setAttribute('aria-current', 'location')
    else if (link.hash !== '') link.removeAttribute('aria-current')
  }
}

/** Shows only the operations that have every word, in their link or in their names. */
function addSearch(menu: HTMLElement): void {
  const input = one<HTMLInputElement>('#search', menu)
  const status = one<HTMLElement>('#found', menu)
  const groups = [...menu.querySelectorAll('details')].map((details) => ({
    details,
    isOpen: details.open,
    items: [...details.querySelectorAll('li')],
  }))
  input.addEventListener('input', () => {
    const sought = wordsOf(input.value)
    const isFound = (item: HTMLElement) => {
      const { names } = item.dataset
      return (
        names !== undefined && hasWords(`${item.innerText} ${item.textContent} ${names}`, sought)
      )
    }
    let count = 0
    for (const { details, isOpen, items } of groups) {
      for (const item of items) item.hidden = sought.length > 0 && !isFound(item)
      const shown = items.filter((item) => !item.hidden).length
      count += shown
      details.hidden = shown === 0
      details.open = sought.length > 0 ? shown > 0 : isOpen
    }
    status.textContent = sought.length === 0 ? words.searchHelp : words.found(count)
  })
  input.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') menu.querySelector<HTMLAnchorElement>('li:not([hidden]) > a')?.click()
  })
  addEventListener('keydown', (event) => {
    const isTyping = (event.target as Element).closest('input, textarea') !== null
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    if (getComputedStyle(menu).display === 'none') menu.showPopover()
    input.focus()
  })
}

/** Shows who is logged in to the console, and returns the name to log in with. */
async function showSession(): Promise<string | undefined> {
  const place = one<HTMLElement>('.session')
  const answer = await fetch('/api/session').catch(() => undefined)
  if (answer?.ok !== true) return undefined
  const { user } = (await answer.json()) as Body<'GET', '/api/session'>
  if (user !== null) {
    place.textContent = words.loggedIn(user.name)
    return user.email ?? user.name
  }
  const link = document.createElement('a')
  link.href = '/'
  link.textContent = words.logIn
  place.replaceChildren(link)
  return undefined
}

/** Keeps the command in step with the form, copies it, and sends what the form says. */
function addRequest(section: HTMLElement, userOf: () => string | undefined): void {
  const curl = one<HTMLElement>('.curl', section)
  const copy = one<HTMLButtonElement>('.copy', section)
  const copyCurl = async () => {
    await navigator.clipboard.writeText(curl.textContent ?? '')
    copy.textContent = words.copied
    setTimeout(() => (copy.textContent = words.copy), 2_000)
  }
  copy.addEventListener('click', () => void copyCurl())
  const form = section.querySelector('form')
  if (form === null) return
  const status = one<HTMLElement>('[role=status]', form)
  const result = one<HTMLElement>('.result', form)
  form.addEventListener('input', () => {
    try {
      curl.textContent = asCurl(readRequest(form, { withSamples: true }), userOf())
    } catch {
      // The JSON of the body is being typed; the command follows when it is complete.
    }
  })
  const sendForm = async () => {
    result.hidden = true
    status.textContent = words.sending
    try {
      const { line, text } = await send(readRequest(form, { withSamples: false }))
      status.textContent = line
      result.textContent = text
      result.hidden = text === ''
    } catch (error) {
      const { message } = error as Error
      status.textContent =
        error instanceof SyntaxError ? words.noJson(message) : words.unreachable(message)
    }
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void sendForm()
  })
}

/** Reads the request of a form; a path that is not filled in gets its sample where the request is only shown. */
function readRequest(form: HTMLFormElement, { withSamples }: { withSamples: boolean }): ApiRequest {
  const { method = 'GET', path = '', type, needsLogin } = form.dataset
  const inputs = [...form.querySelectorAll<HTMLInputElement>('input[data-in]')]
  const valuesIn = (place: string) =>
    Object.fromEntries(
      inputs
        .filter((each) => each.dataset['in'] === place)
        .map((each) => [each.name, each.value || (withSamples ? each.placeholder : '')])
        .filter(([, value]) => value !== ''),
    )
  return requestOf(
    location.origin,
    { method, path, type, needsLogin: needsLogin !== undefined },
    {
      path: valuesIn('path'),
      query: valuesIn('query'),
      header: valuesIn('header'),
      body: form.querySelector('textarea')?.value,
    },
  )
}

async function send({ method, url, headers, body }: ApiRequest) {
  const start = performance.now()
  const answer = await fetch(url, { method, headers, body })
  const text = await answer.text()
  const ms = Math.round(performance.now() - start)
  const type = answer.headers.get('content-type') ?? ''
  const line = words.answered(`${answer.status} ${answer.statusText}`.trim(), ms)
  const hint = answer.status === 401 ? ` ${words.needsLogin}` : ''
  return { line: `${line}${hint}`, text: shownText(type, text) }
}

function shownText(type: string, text: string): string {
  if (type.startsWith('application/json')) return JSON.stringify(JSON.parse(text), null, 2)
  return /^text\/|^message\//.test(type) ? text : words.notShown(type, text.length)
}
