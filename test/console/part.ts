import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { computeAccessibleDescription, computeAccessibleName, getRole } from 'dom-accessibility-api'

const { setTimeout: startTimer } = globalThis
/** As long as `until` waits. */
const waitMaxMs = 20_000

type Text = string | RegExp
interface Filter {
  name?: Text | undefined
  exact?: boolean
  level?: number
  description?: RegExp
}

/** The whole text, not a part of it. */
export const exact = { exact: true }

type State = 'visible' | 'detached'

/** What an element of each role may be; the role itself is then computed. */
const elements: Readonly<Record<string, string>> = {
  button: 'button, input[type=submit]',
  cell: 'td',
  checkbox: 'input[type=checkbox]',
  combobox: 'select',
  dialog: 'dialog',
  group: 'fieldset, optgroup, details',
  heading: 'h1, h2, h3, h4',
  img: 'img',
  link: 'a[href]',
  list: 'ul, ol',
  listitem: 'li',
  main: 'main',
  navigation: 'nav',
  option: 'option',
  paragraph: 'p',
  region: 'section',
  row: 'tr',
  searchbox: 'input[type=search]',
  status: 'output',
  table: 'table',
  textbox: 'input, textarea',
}
const inline = /^(?:A|ABBR|B|CODE|EM|I|INPUT|KBD|LABEL|MARK|SMALL|SPAN|STRONG|SVG|TIME)$/i

/** Of a page without style sheets: what is a block stands apart. */
const styleOf = ({ tagName }: Element) =>
  ({
    getPropertyValue: (name: string) =>
      name === 'display' && !inline.test(tagName) ? 'block' : '',
  }) as unknown as CSSStyleDeclaration

const tidy = (text: string | null) => (text ?? '').replace(/\s+/g, ' ').trim()

function matches(text: string, wanted: Text, isExact = false): boolean {
  if (wanted instanceof RegExp) return wanted.test(text)
  return isExact ? text === tidy(wanted) : text.toLowerCase().includes(tidy(wanted).toLowerCase())
}

const isShown = (element: Element) =>
  element.closest('[hidden], dialog:not([open]), head') === null &&
  !element.closest('details:not([open]) > :not(summary)')

/** As for Playwright, a field for a password is one for text. */
function roleOf(element: Element): string | null {
  if (element.matches('input[type=password]')) return 'textbox'
  return element.matches('p:not([role])') ? 'paragraph' : getRole(element)
}

const styles = { getComputedStyle: styleOf }

function nameOf(element: Element): string {
  return tidy(computeAccessibleName(element, styles))
}

/** What a page holds that fits a description, as Playwright's locators: each step looks again, and waits for it. */
export class Part {
  readonly #read: () => Document
  readonly #description: string
  readonly #find: () => Element[]

  constructor(read: () => Document, description: string, find: () => Element[]) {
    this.#read = read
    this.#description = description
    this.#find = find
  }

  get #document(): Document {
    return this.#read()
  }

  #narrow(description: string, find: (found: Element[]) => Element[]): Part {
    return new Part(this.#read, `${this.#description} ${description}`, () => find(this.#find()))
  }

  #within(description: string, find: (root: Element) => Iterable<Element>): Part {
    return this.#narrow(description, (roots) => [
      ...new Set(roots.flatMap((root) => [...find(root)])),
    ])
  }

  locator(selector: string): Part {
    return this.#within(selector, (root) => root.querySelectorAll(selector))
  }

  getByRole(role: string, { name, exact, level, description }: Filter = {}): Part {
    const selector = `[role=${role}], ${elements[role] ?? 'x'}`
    return this.#within(`${role} ${name ?? ''}`, (root) =>
      [...root.querySelectorAll(selector)].filter(
        (each) =>
          roleOf(each) === role &&
          (level === undefined || each.tagName === `H${level}`) &&
          isShown(each) &&
          each.closest('[aria-hidden=true]') === null &&
          (name === undefined || matches(nameOf(each), name, exact)) &&
          (description?.test(computeAccessibleDescription(each, styles)) ?? true),
      ),
    )
  }

  button(name?: Text, filter?: Filter): Part {
    return this.getByRole('button', { ...filter, name })
  }
  link(name?: Text, filter?: Filter): Part {
    return this.getByRole('link', { ...filter, name })
  }
  tab(name: Text): Part {
    return this.getByRole('tab', { name })
  }
  row(name?: Text): Part {
    return this.getByRole('row', { name })
  }
  option(name?: Text, filter?: Filter): Part {
    return this.getByRole('option', { ...filter, name })
  }
  region(name?: Text, filter?: Filter): Part {
    return this.getByRole('region', { ...filter, name })
  }
  dialog(name?: Text): Part {
    return this.getByRole('dialog', { name })
  }

  getByLabel(label: Text, { exact }: Filter = {}): Part {
    const selector = 'input, select, textarea, button, [aria-label], [aria-labelledby]'
    return this.#within(`label ${label}`, (root) =>
      [...root.querySelectorAll(selector)].filter((each) => {
        const { labels } = each as HTMLInputElement
        const isNamed =
          Boolean(labels?.length) || /aria-label/.test(each.getAttributeNames().join())
        return isNamed && matches(nameOf(each), label, exact)
      }),
    )
  }

  getByText(text: Text, { exact }: Filter = {}): Part {
    const holds = (each: Element) => matches(tidy(each.textContent), text, exact)
    return this.#within(`text ${text}`, (root) =>
      [root, ...root.querySelectorAll('*')].filter(
        (each) => holds(each) && ![...each.children].some(holds),
      ),
    )
  }

  /** What encloses it. */
  parent(): Part {
    return this.#within('parent', ({ parentElement }) => (parentElement ? [parentElement] : []))
  }

  filter({ hasText }: { hasText: Text }): Part {
    return this.#narrow(`with ${hasText}`, (found) =>
      found.filter((each) => matches(tidy(each.textContent), hasText)),
    )
  }

  nth(index: number): Part {
    return this.#narrow(`number ${index}`, (found) => found.slice(index, index + 1 || undefined))
  }
  first(): Part {
    return this.nth(0)
  }
  last(): Part {
    return this.nth(-1)
  }

  async count(): Promise<number> {
    return this.#find().length
  }
  async all(): Promise<Part[]> {
    return this.#find().map((_, index) => this.nth(index))
  }

  /** Waits until there is one that is shown; with `detached`, until there is none. */
  async waitFor({ state = 'visible' }: { state?: State } = {}): Promise<void> {
    await this.#until((found) => (state === 'visible' ? found.length > 0 : found.length === 0))
  }

  /** Waits until each of these texts is shown. */
  async see(...texts: Text[]): Promise<void> {
    for (const text of texts) await this.getByText(text).waitFor()
  }

  async #until(isReached: (shown: Element[]) => boolean): Promise<Element[]> {
    const body = this.#document.documentElement
    const { MutationObserver } = this.#document.defaultView ?? globalThis
    const deadline = performance.now() + waitMaxMs
    for (;;) {
      const found = this.#find().filter(isShown)
      if (isReached(found)) return found
      const left = deadline - performance.now()
      assert.ok(
        left > 0,
        `Not reached:${this.#description}, ${found.length} found in
${tidy(body.querySelector('body')?.textContent ?? '')}`,
      )
      await new Promise<void>((resolve) => {
        const end = () => {
          clearTimeout(timer)
          observer.disconnect()
          // What changes at once is looked at once.
          setImmediate(resolve)
        }
        const timer = startTimer(end, left)
        const observer = new MutationObserver(end)
        observer.observe(body, {
          subtree: true,
          childList: true,
          attributes: true,
          characterData: true,
        })
      })
    }
  }

  /** The only one. */
  async #one(): Promise<HTMLInputElement> {
    const [found, ...others] = await this.#until(({ length }) => length > 0)
    assert.ok(others.length === 0, `${others.length + 1} are${this.#description}`)
    return found as HTMLInputElement
  }

  /** The only one, once a person can use it: it is enabled, and no modal dialog hides it. */
  async #usable(): Promise<HTMLInputElement> {
    await this.#until(([found]) => {
      const dialog = [...this.#document.querySelectorAll('dialog[open]')].at(-1)
      const isFree = dialog === undefined || found?.closest('dialog, [popover]') !== null
      return found !== undefined && isFree && !isOff(found) && !isBusy(found)
    })
    return this.#one()
  }

  async click({ modifiers = [] }: { modifiers?: 'Shift'[] } = {}): Promise<void> {
    const element = await this.#usable()
    press(element, 'pointerdown')
    if (press(element, 'mousedown')) (focusable(element) ?? this.#document.body).focus()
    press(element, 'click', { shiftKey: modifiers.length > 0, composed: true, detail: 1 })
    await settle()
  }

  async focus(): Promise<void> {
    ;(await this.#usable()).focus()
  }

  async fill(value: string): Promise<void> {
    const element = await this.#usable()
    element.focus()
    element.value = value
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
  async uncheck(): Promise<void> {
    await this.check(false)
  }

  async selectOption(wanted: string | { label: string }): Promise<void> {
    await this.#usable()
    const isWanted = ({ value, label, textContent }: HTMLOptionElement) =>
      typeof wanted === 'string'
        ? value === wanted || tidy(textContent) === wanted
        : tidy(label || textContent) === tidy(wanted.label)
    const optionOf = ([found]: Element[]) =>
      [...(found as HTMLSelectElement).options].find(isWanted)
    const found = await this.#until((all) => all.length > 0 && optionOf(all) !== undefined)
    const [select] = found as HTMLSelectElement[]
    const option = optionOf(found)
    assert.ok(select && option)
    select.value = option.value
    press(select, 'input')
    press(select, 'change')
    await settle()
  }

  async press(key: string): Promise<void> {
    const element = await this.#usable()
    element.focus()
    await pressKey(this.#document, key)
  }

  /** Types letter by letter. */
  async pressSequentially(text: string): Promise<void> {
    for (const [index] of [...text].entries()) await this.fill(text.slice(0, index + 1))
  }

  async setInputFiles(name: string, content: string): Promise<void> {
    const element = await this.#one()
    Object.defineProperty(element, 'files', { value: [new File([content], name)] })
    Object.defineProperty(element, 'value', { value: name })
    press(element, 'change')
    await settle()
  }

  async isFocused(): Promise<boolean> {
    return (await this.#one()) === this.#document.activeElement
  }
  async evaluateAll<Found>(read: (found: Element[]) => Found): Promise<Found> {
    return read(this.#find())
  }
  async inputValue(): Promise<string> {
    return (await this.#one()).value
  }
  async isChecked(): Promise<boolean> {
    return (await this.#one()).checked
  }
  async isDisabled(): Promise<boolean> {
    return isOff(await this.#one())
  }
  async textContent(): Promise<string | null> {
    return (await this.#one()).textContent
  }
  async innerText(): Promise<string> {
    return tidy(visibleText(await this.#one()))
  }
  async content(): Promise<string> {
    return (await this.#one()).outerHTML
  }
  async getAttribute(name: string): Promise<string | null> {
    return (await this.#one()).getAttribute(name)
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

const isBusy = (element: Element) => element.getAttribute('aria-busy') === 'true'

const focusable = (element: Element) =>
  element.closest<HTMLElement>('a[href], button, input, select, textarea, [tabindex]')

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
