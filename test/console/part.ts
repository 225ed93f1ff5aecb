import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { computeAccessibleDescription, computeAccessibleName, getRole } from 'dom-accessibility-api'

/** As long as `until` waits. */
const waitMaxMs = 20_000
/** Time passes first after this wait, then more rarely: what is awaited may be the work of Mailyard. */
const firstWaitMs = 10
const lastWaitMs = 320

type Text = string | RegExp
interface Filter {
  name?: Text | undefined
  description?: RegExp
}

/** Where the parts are. */
export interface PartHost {
  document: Document
  /** Lets time pass in the page, where nothing else happens in it. */
  passTime(): void
}

/** What an element of each role may be; the role itself is then computed. */
const elements: Readonly<Record<string, string>> = {
  button: 'button, input[type=submit]',
  cell: 'td',
  checkbox: 'input[type=checkbox]',
  combobox: 'select',
  group: 'fieldset, optgroup, details',
  img: 'img',
  link: 'a[href]',
  list: 'ul, ol',
  listitem: 'li',
  navigation: 'nav',
  paragraph: 'p',
  region: 'section',
  row: 'tr',
  searchbox: 'input[type=search]',
  textbox: 'input, textarea',
}
const inline = /^(?:A|ABBR|B|CODE|EM|I|INPUT|KBD|LABEL|MARK|SMALL|SPAN|STRONG|SVG|TIME|WBR)$/i

/** Of a page without style sheets: what is a block stands apart. */
const styleOf = ({ tagName }: Element) =>
  ({
    getPropertyValue: (name: string) =>
      name !== 'display' ? '' : inline.test(tagName) ? 'inline' : 'block',
  }) as unknown as CSSStyleDeclaration
const styles = { getComputedStyle: styleOf }

const tidy = (text: string | null) => (text ?? '').replace(/\s+/g, ' ').trim()

const nameOf = (element: Element) => tidy(computeAccessibleName(element, styles))

function matches(text: string, wanted: Text): boolean {
  if (wanted instanceof RegExp) return wanted.test(text)
  return text.toLowerCase().includes(tidy(wanted).toLowerCase())
}

const hasText = ({ textContent }: Element, text: Text) => matches(tidy(textContent), text)

/** Those of this name; where none has exactly this one, those that have it in theirs. */
function choose(found: Element[], wanted: Text | undefined): Element[] {
  if (wanted === undefined) return found
  const named = found.map((element) => ({ element, name: nameOf(element) }))
  const exact = named.filter(({ name }) => name === wanted)
  const chosen = exact.length > 0 ? exact : named.filter(({ name }) => matches(name, wanted))
  return chosen.map(({ element }) => element)
}

const isShown = (element: Element) =>
  element.closest('[hidden], dialog:not([open]), head') === null &&
  !element.closest('details:not([open]) > :not(summary)')

/** As for Playwright, a field for a password is one for text. */
function roleOf(element: Element): string | null {
  if (element.matches('input[type=password]')) return 'textbox'
  return element.matches('p:not([role])') ? 'paragraph' : getRole(element)
}

/** What a page holds that fits a description, as Playwright's locators: each step looks again, and waits for it. */
export class Part {
  readonly #host: PartHost
  readonly #description: string
  readonly #find: () => Element[]

  constructor(host: PartHost, description: string, find: () => Element[]) {
    this.#host = host
    this.#description = description
    this.#find = find
  }

  #narrow(description: string, find: (found: Element[]) => Element[]): Part {
    return new Part(this.#host, `${this.#description} ${description}`, () => find(this.#find()))
  }

  locator(selector: string): Part {
    return this.#narrow(selector, (roots) => [
      ...new Set(roots.flatMap((root) => [...root.querySelectorAll(selector)])),
    ])
  }

  getByRole(role: string, { name, description }: Filter = {}): Part {
    const all = this.locator(`[role=${role}], ${elements[role] ?? role}`)
    return all.#narrow(`as ${role} ${name ?? ''}`, (found) => {
      const those = found.filter(
        (each) =>
          roleOf(each) === role &&
          isShown(each) &&
          each.closest('[aria-hidden=true]') === null &&
          (description?.test(computeAccessibleDescription(each, styles)) ?? true),
      )
      return choose(those, name)
    })
  }

  button = (name?: Text): Part => this.getByRole('button', { name })
  link = (name?: Text): Part => this.getByRole('link', { name })
  tab = (name: Text): Part => this.getByRole('tab', { name })
  row = (name?: Text): Part => this.getByRole('row', { name })
  table = (name: Text): Part => this.getByRole('table', { name })
  option = (name?: Text): Part => this.getByRole('option', { name })
  region = (name?: Text): Part => this.getByRole('region', { name })
  dialog = (name?: Text): Part => this.getByRole('dialog', { name })
  textbox = (name: Text): Part => this.getByRole('textbox', { name })
  combobox = (name: Text): Part => this.getByRole('combobox', { name })

  getByLabel(label: Text): Part {
    const all = this.locator('input, select, textarea, button, [aria-label], [aria-labelledby]')
    return all.#narrow(`with label ${label}`, (found) => {
      const isLabelled = (each: Element) =>
        Boolean((each as HTMLInputElement).labels?.length) ||
        each.matches('[aria-label], [aria-labelledby]')
      return choose(found.filter(isLabelled), label)
    })
  }

  /** The innermost elements with this text. */
  getByText(text: Text): Part {
    return this.#narrow(`text ${text}`, (roots) =>
      roots
        .flatMap((root) => [root, ...root.querySelectorAll('*')])
        .filter(
          (each) => hasText(each, text) && ![...each.children].some((one) => hasText(one, text)),
        ),
    )
  }

  filter({ hasText: text }: { hasText: Text }): Part {
    return this.#narrow(`with ${text}`, (found) => found.filter((each) => hasText(each, text)))
  }

  nth(index: number): Part {
    return this.#narrow(`number ${index}`, (found) => found.slice(index, index + 1 || undefined))
  }

  elements(): HTMLElement[] {
    return this.#find() as HTMLElement[]
  }
  async count(): Promise<number> {
    return this.#find().length
  }

  /** Waits until there is one that is shown. */
  async waitFor(): Promise<void> {
    await this.#until(({ length }) => length > 0)
  }
  /** Waits until none is shown. */
  async gone(): Promise<void> {
    await this.#until(({ length }) => length === 0)
  }
  /** Waits until each of these texts is shown. */
  async see(...texts: Text[]): Promise<void> {
    for (const text of texts) await this.getByText(text).waitFor()
  }
  /** Waits for the title of a screen. */
  async opens(title: Text): Promise<void> {
    await this.locator('h1').see(title)
  }

  async #until(isReached: (shown: Element[]) => boolean): Promise<Element[]> {
    const find = () => this.#find().filter(isShown)
    await this.until(() => isReached(find()), this.#description)
    return find()
  }

  /** Waits until something is so, while time passes in the page. */
  async until(isReached: () => boolean | Promise<boolean>, what: string): Promise<void> {
    const body = this.#host.document.documentElement
    const { MutationObserver } = this.#host.document.defaultView ?? globalThis
    const deadline = performance.now() + waitMaxMs
    let waitMs = firstWaitMs
    while (!(await isReached())) {
      assert.ok(performance.now() < deadline, `Not reached: ${what} in\n${tidy(body.textContent)}`)
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const observer = new MutationObserver(() => resolve(true))
      observer.observe(body, {
        subtree: true,
        childList: true,
        attributes: true,
        characterData: true,
      })
      const isChanged = await Promise.race([promise, setTimeout(waitMs, false)])
      observer.disconnect()
      if (isChanged) continue
      this.#host.passTime()
      waitMs = Math.min(2 * waitMs, lastWaitMs)
    }
  }

  /** The only one. */
  async one(): Promise<HTMLInputElement> {
    const [found, ...others] = await this.#until(({ length }) => length > 0)
    assert.ok(others.length === 0, `${others.length + 1} are${this.#description}`)
    return found as HTMLInputElement
  }

  /** The only one, once a person can use it: it is enabled, and no modal dialog hides it. */
  async #usable(): Promise<HTMLInputElement> {
    await this.#until(([found]) => {
      const dialog = [...this.#host.document.querySelectorAll('dialog[open]')].at(-1)
      const isFree = dialog === undefined || found?.closest('dialog, [popover]') !== null
      return found !== undefined && isFree && !isOff(found) && !found.matches('[aria-busy=true]')
    })
    return this.one()
  }

  async click({ shiftKey = false }: { shiftKey?: boolean } = {}): Promise<void> {
    const element = await this.#usable()
    press(element, 'pointerdown')
    const focusable = 'a[href], button, input, select, textarea, [tabindex]'
    const target = element.closest<HTMLElement>(focusable) ?? this.#host.document.body
    if (press(element, 'mousedown')) target.focus()
    press(element, 'click', { shiftKey, composed: true, detail: 1 })
    await settle()
  }

  /** Fills in a field, or chooses an option by its label or its value. */
  async fill(value: string): Promise<void> {
    const element = await this.#usable()
    element.focus()
    const named = (each: HTMLOptionElement) =>
      [each.value, tidy(each.label || each.textContent)].includes(value)
    const option = () => [...(element as unknown as HTMLSelectElement).options].find(named)
    if (element.tagName === 'SELECT') await this.#until(() => option() !== undefined)
    element.value = element.tagName === 'SELECT' ? (option()?.value ?? '') : value
    press(element, 'input')
    press(element, 'change')
    await settle()
  }

  async check(isChecked = true): Promise<void> {
    const element = await this.#usable()
    if (element.checked !== isChecked) element.click()
    await settle()
    assert.equal(element.checked, isChecked)
  }

  /** Fills in fields by their labels: text, the label of an option, or whether a box is checked. */
  async enter(fields: Readonly<Record<string, string | boolean>>): Promise<void> {
    for (const [label, value] of Object.entries(fields))
      await (typeof value === 'string'
        ? this.getByLabel(label).fill(value)
        : this.getByLabel(label).check(value))
  }

  /** Types into a box that searches, and chooses what it finds. */
  async pick(box: string, text: string, found: Text = text): Promise<void> {
    await this.combobox(box).fill(text)
    await this.option(found).click()
  }

  /** Sets a filter of a list to one of its choices. */
  async filterBy(label: string, choice: string): Promise<void> {
    const menu = this.locator('.menu-list')
    await this.button('+ Filter').click()
    await menu.button(label).click()
    await menu.button(choice).click()
  }

  /** Presses a button, and one in the dialog that it opens. */
  async confirm(button: Text, answer: Text = button): Promise<void> {
    await this.button(button).click()
    await new Part(this.#host, '', () => [this.#host.document.body]).dialog().button(answer).click()
  }

  async press(key: string): Promise<void> {
    const element = await this.#usable()
    element.focus()
    await pressKey(this.#host.document, key)
  }

  /** A fieldset can disable it too. */
  async isDisabled(): Promise<boolean> {
    return isOff(await this.one())
  }
  async inputValue(): Promise<string> {
    return (await this.one()).value
  }
  async innerText(): Promise<string> {
    return tidy(visibleText(await this.one()))
  }
  async content(): Promise<string> {
    return (await this.one()).outerHTML
  }
  async getAttribute(name: string): Promise<string | null> {
    return (await this.one()).getAttribute(name)
  }
}

/** Its text, with a space where a block begins or ends. */
function visibleText(node: Node): string {
  if (node.nodeType === 3) return node.textContent ?? ''
  const text = [...node.childNodes].map(visibleText).join('')
  return inline.test(node.nodeName) ? text : ` ${text} `
}

const isOff = (element: Element) =>
  (element as HTMLInputElement).disabled || element.closest('fieldset[disabled]') !== null

/** No person is quicker than the next frames, after which the effects of a component have run. */
async function settle(): Promise<void> {
  for (let frame = 0; frame < 3; frame += 1) await setTimeout(0)
}

/** @returns whether the page let the browser do what it does by itself. */
function press(element: Element, type: string, init: object = {}): boolean {
  const { defaultView } = element.ownerDocument
  const { KeyboardEvent, PointerEvent, Event } = defaultView ?? globalThis
  const Kind = /key/.test(type) ? KeyboardEvent : /input|change/.test(type) ? Event : PointerEvent
  return element.dispatchEvent(new Kind(type, { bubbles: true, cancelable: true, ...init }))
}

/** Presses a key where the focus is. Enter sends a form, or is a click; Escape closes the last dialog. */
export async function pressKey(document: Document, name: string): Promise<void> {
  const key = name.replace(/^.*\+(?=.)/, '')
  const init = { key, ctrlKey: name.startsWith('Control+'), altKey: name.startsWith('Alt+') }
  const focused = (document.activeElement ?? document.body) as HTMLInputElement
  if (!press(focused, 'keydown', init)) return settle()
  if (key === 'Enter') {
    if (focused.form && focused.tagName === 'INPUT') focused.form.requestSubmit()
    else if (/^(?:A|BUTTON|SUMMARY)$/.test(focused.tagName)) focused.click()
  }
  const dialog = [...document.querySelectorAll<HTMLDialogElement>('dialog[open]')].at(-1)
  if (key === 'Escape' && dialog && press(dialog, 'cancel', { bubbles: false })) dialog.close()
  press(focused, 'keyup', init)
  await settle()
}
