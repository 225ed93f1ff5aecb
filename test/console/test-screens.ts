import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { compileFunction } from 'node:vm'
import { build } from 'esbuild'
import { Window } from 'happy-dom'
import { adminPassword } from '../administrator.ts'
import { createMovableClock, type MovableClock } from '../movable-clock.ts'
import { createSendFixture, type SendFixture } from '../send-fixture.ts'
import { openTestApp, type TestApp, type TestAppOptions, type TestBody } from '../test-app.ts'
import { Part, type PartHost, pressKey } from './part.ts'

const web = join(import.meta.dirname, '../../web')
const origin = 'http://mailyard.test'
const browser = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/150.0.0.0 Safari/537.36'

type Run = (browser: object) => void
/** What a page leaves in its tab. */
const storages = ['localStorage', 'sessionStorage'] as const
let loadConsole: Promise<Run> | undefined

/** The whole console as one function of what it uses of a browser. So each page begins with a state of its own. */
async function compileConsole(): Promise<Run> {
  const { outputFiles } = await build({
    absWorkingDir: web,
    entryPoints: ['main.tsx'],
    bundle: true,
    format: 'iife',
    target: 'node24',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    alias: { '@codemirror/lang-javascript': './records/code/no-scripts.ts' },
    write: false,
  })
  const [{ text = '' } = {}] = outputFiles
  const uses = `window, Window, globalThis, document, location, history, navigator, localStorage,
    sessionStorage, addEventListener,
    removeEventListener, matchMedia, scrollTo, MutationObserver, ResizeObserver, Event, Node, Element, HTMLElement, CSS,
    DOMParser, performance, fetch, setTimeout, clearTimeout, setInterval, clearInterval, requestAnimationFrame,
    cancelAnimationFrame`
  return compileFunction(`const { ${uses} } = browser\n${text}`, ['browser']) as Run
}

/** A page of the console without a browser: nothing has a place or a size, and Mailyard is asked without a socket. */
export class TestPage extends Part {
  readonly #service: TestApp
  readonly #host: PartHost
  #window = new Window()
  #cookie = ''
  #leave = async (): Promise<void> => undefined
  #time = createTime()
  #asking = 0
  /** What its scripts threw. */
  readonly problems: string[] = []
  #held: { url: RegExp; answer: Promise<Response | undefined> }[] = []
  /** How often a person pressed the mouse, in all pages. */
  clicks = 0
  /** What was copied last. */
  copied = ''
  /** Every address that Mailyard was asked for. */
  readonly asked: string[] = []
  readonly keyboard = { press: (key: string) => pressKey(this.#host.document, key) }

  constructor(service: TestApp) {
    // Of the page that is open now.
    const current = () => this
    const host: PartHost = {
      get document() {
        return current().#window.document as unknown as Document
      },
      passTime: () => this.#asking === 0 && this.#time.pass(),
    }
    super(host, '', () => [host.document.documentElement])
    this.#host = host
    this.#service = service
  }

  async logIn(username: string, password: string): Promise<void> {
    const body = { username, password }
    const options = { as: 'anonymous', headers: { 'user-agent': browser } } as const
    const answer = await this.#service.ask('POST', '/api/session', body, options)
    assert.equal(answer.status, 200, answer.text)
    this.#cookie = String(answer.headers['set-cookie']).split(';')[0] ?? ''
  }

  /** Loads a page. What the pages before it stored in the browser stays. */
  async goto(path: string): Promise<void> {
    this.asked.length = 0
    const left = this.#window
    const window = new Window({ url: new URL(path, origin).href })
    this.#window = window
    const stored = storages.map((name) => [name, Object.entries(left[name])] as const)
    await this.#leave()
    const time = createTime()
    this.#time = time
    this.#leave = async () => {
      time.stop()
      await window.happyDOM.close()
    }
    for (const [storage, entries] of stored)
      for (const [name, value] of entries) window[storage].setItem(name, value)
    window.addEventListener('error', (event) =>
      this.problems.push(String(Reflect.get(event, 'message'))),
    )
    window.document.addEventListener('pointerdown', () => (this.clicks += 1), true)
    giveFocus(window)
    window.document.body.innerHTML = '<div id="app"></div>'
    const writeText = async (text: string) => {
      this.copied = text
    }
    const bound = ['addEventListener', 'removeEventListener', 'matchMedia', 'scrollTo'] as const
    const own: Record<string, unknown> = {
      ...Object.fromEntries(bound.map((name) => [name, Reflect.get(window, name).bind(window)])),
      ...time.functions,
      globalThis: window,
      // A page that was left hears nothing more.
      fetch: (...request: Parameters<typeof fetch>) =>
        window === this.#window ? this.#fetch(...request) : new Promise(() => undefined),
      navigator: { language: 'en-US', languages: ['en-US'], clipboard: { writeText } },
    }
    const run = await loadConsole
    run?.(new Proxy(window, { get: (_, name) => own[String(name)] ?? Reflect.get(window, name) }))
  }
  reload(): Promise<void> {
    return this.goto(this.url())
  }
  async goBack(): Promise<void> {
    this.#window.history.back()
  }
  async close(): Promise<void> {
    this.#window = new Window()
    await this.#leave()
  }

  /** Opens the form of a record that is read. */
  edit(): Promise<void> {
    return this.button('Edit').click()
  }
  /** Opens the question before a record is deleted. */
  async askToDelete(): Promise<void> {
    await this.locator('main').button('More').click()
    await this.button('Delete').click()
  }

  url(): string {
    return this.#window.location.href
  }
  async waitForURL(url: RegExp): Promise<void> {
    await this.until(() => url.test(this.url()), `${this.url()} is ${url}`)
  }

  /** Holds answers back until the function that it returns is called, which may give another one. */
  hold(url: RegExp): (instead?: Response) => void {
    const { promise: answer, resolve } = Promise.withResolvers<Response | undefined>()
    this.#held.unshift({ url, answer })
    return resolve
  }

  /** What a link downloads. */
  async download(link: Part): Promise<string> {
    return (await this.#fetch((await link.getAttribute('href')) ?? '')).text()
  }

  /** Asks Mailyard as a browser on its own address does. */
  readonly #fetch: typeof fetch = async (...request) => {
    this.#asking += 1
    return this.#ask(...request).finally(() => (this.#asking -= 1))
  }
  readonly #ask: typeof fetch = async (input, { method = 'GET', headers, body, signal } = {}) => {
    const url = input instanceof Request ? input.url : input.toString()
    this.asked.push(url)
    signal?.throwIfAborted()
    const answer = await this.#service.server.inject({
      method: method as 'GET',
      url,
      headers: {
        ...(headers as Record<string, string>),
        cookie: this.#cookie,
        origin,
        host: new URL(origin).host,
        'sec-fetch-site': 'same-origin',
      },
      ...(body === undefined ? {} : { payload: await new Response(body).text() }),
      ...(signal ? { signal } : {}),
    })
    const instead = await this.#held.find((held) => held.url.test(url))?.answer
    signal?.throwIfAborted()
    if (instead) return instead.clone()
    const pairs = Object.entries(answer.headers).map(([name, value]) => [name, String(value)])
    const { statusCode: status } = answer
    return new Response([204, 304].includes(status) ? null : answer.body, {
      status,
      headers: Object.fromEntries(pairs),
    })
  }
}

/** A Mailyard on an empty database, and pages of its console without a browser. */
export interface TestScreens {
  service: TestApp
  /** The time of the service, which a test may let pass. */
  clock: MovableClock
  /** Makes what is sent, and reads what became of it. */
  fixture: SendFixture
  /** Asks the API as the administrator; returns the body. */
  ask(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<TestBody>
  /** Where its pages are. */
  url: string
  page: TestPage
  /** Opens a path of the console, logged in; as the administrator by default. */
  open(path: string, as?: { username: string; password: string }): Promise<TestPage>
  /** Opens a path in a second page, as the administrator. */
  openOther(path: string): Promise<TestPage>
  /** Closes all; fails where a page threw. */
  close(): Promise<void>
}

export async function openTestScreens(options: TestAppOptions = {}): Promise<TestScreens> {
  loadConsole ??= compileConsole()
  const clock = createMovableClock()
  const [service] = await Promise.all([openTestApp({ clock, ...options }), loadConsole])
  const page = new TestPage(service)
  const other = new TestPage(service)
  const administrator = { username: 'admin', password: adminPassword }
  const open = async (opened: TestPage, path: string, { username, password } = administrator) => {
    await opened.logIn(username, password)
    await opened.goto(path)
    return opened
  }
  return {
    service,
    clock,
    fixture: createSendFixture(() => service),
    async ask(method, path, body) {
      const answer = await service.ask(method, path, body)
      assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`)
      return answer.body
    },
    url: origin,
    page,
    open: (path, as) => open(page, path, as),
    openOther: (path) => open(other, path),
    async close() {
      for (const each of [page, other]) await each.close()
      await service.close()
      assert.deepEqual([...page.problems, ...other.problems], [])
    },
  }
}

/** A modal dialog takes the focus, and gives it back when it is closed. */
function giveFocus(window: Window): void {
  const { HTMLDialogElement, document } = window
  const { prototype } = HTMLDialogElement
  const openers = new WeakMap<object, { focus(): void } | null>()
  prototype.showModal = function open() {
    openers.set(this, document.activeElement)
    this.open = true
    const first =
      this.querySelector('[autofocus]') ?? this.querySelector('a, button, input, select')
    ;(first as { focus(): void } | null)?.focus()
  }
  prototype.close = function end() {
    if (!this.open) return
    this.open = false
    this.dispatchEvent(new window.Event('close'))
    openers.get(this)?.focus()
  }
}

/** Opens it before the tests of this `describe`, and closes it after them. */
export function useScreens(options?: TestAppOptions): TestScreens {
  const opened = {} as TestScreens
  before(async () => {
    Object.assign(opened, await openTestScreens(options))
  })
  after(() => opened.close())
  return opened
}

/** Longer timers are for a person, such as that of a message which goes by itself. */
const pauseMaxMs = 1_000

/** A timer that ends early when time passes. */
interface Pause {
  dueAt: number
  end: () => void
}

/**
 * The time of a page, whose timers end when it is left. A frame is drawn at once. While a test waits, time passes quickly:
 * a pause after typing ends, and what is repeated is repeated.
 */
function createTime(): { functions: object; pass(): void; stop(): void } {
  const pauses = new Map<NodeJS.Timeout | undefined, Pause>()
  let passedMs = 0
  let isLeft = false
  const now = () => performance.now() + passedMs
  const clear = (timer?: NodeJS.Timeout) => {
    clearTimeout(timer)
    pauses.delete(timer)
  }
  const note = (timer: NodeJS.Timeout, dueAt: number, end: () => void) => {
    pauses.set(timer, { dueAt, end })
    if (isLeft) clear(timer)
    return timer
  }
  const startTimeout = (work: () => void, ms = 0) => {
    const end = () => {
      clear(timer)
      work()
    }
    const timer = setTimeout(end, ms)
    return note(timer, ms > pauseMaxMs ? Number.POSITIVE_INFINITY : now() + ms, end)
  }
  const startInterval = (work: () => void, ms: number) => {
    const timer = setInterval(() => end(), ms)
    const end = () => {
      note(timer, now() + ms, end)
      work()
    }
    return note(timer, now() + ms, end)
  }
  return {
    functions: {
      setTimeout: startTimeout,
      setInterval: startInterval,
      requestAnimationFrame: (work: () => void) => startTimeout(work),
      clearTimeout: clear,
      clearInterval: clear,
      cancelAnimationFrame: clear,
      performance: { now },
    },
    pass() {
      const next = Math.min(...[...pauses.values()].map(({ dueAt }) => dueAt))
      if (next === Number.POSITIVE_INFINITY) return
      passedMs += Math.max(0, next - now())
      for (const { dueAt, end } of [...pauses.values()]) if (dueAt <= next) end()
    },
    stop() {
      isLeft = true
      for (const timer of [...pauses.keys()]) clear(timer)
    },
  }
}
