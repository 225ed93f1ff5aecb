import assert from 'node:assert/strict'
import { join } from 'node:path'
import { compileFunction } from 'node:vm'
import { build } from 'esbuild'
import { Window } from 'happy-dom'
import { adminPassword } from '../administrator.ts'
import { openTestApp, type TestApp, type TestAppOptions } from '../test-app.ts'
import { until } from '../until.ts'
import { Part, pressKey } from './part.ts'

const web = join(import.meta.dirname, '../../web')
const origin = 'http://mailyard.test'
const browser = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/150.0.0.0 Safari/537.36'

/** What the console uses of a browser. Its own state begins anew in each page, as in a browser. */
const globals = [
  'window',
  'Window',
  'globalThis',
  'document',
  'location',
  'history',
  'navigator',
  'localStorage',
  'addEventListener',
  'removeEventListener',
  'matchMedia',
  'scrollTo',
  'MutationObserver',
  'ResizeObserver',
  'Event',
  'Node',
  'Element',
  'HTMLElement',
  'CSS',
  'DOMParser',
  'fetch',
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'requestAnimationFrame',
  'cancelAnimationFrame',
] as const

let loadConsole: Promise<(...values: unknown[]) => void> | undefined

/** The whole console as one function of the globals of a page. */
async function compileConsole(): Promise<(...values: unknown[]) => void> {
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
  return compileFunction(text, [...globals]) as (...values: unknown[]) => void
}

/** A page of the console without a browser: nothing has a place or a size, and Mailyard is asked without a socket. */
export class TestPage extends Part {
  readonly #service: TestApp
  #window = new Window()
  #cookie = ''
  /** What its scripts threw. */
  readonly problems: string[] = []
  #held: { url: RegExp; until: Promise<void> }[] = []
  /** How often a person pressed the mouse, in all pages. */
  clicks = 0
  /** What was copied last. */
  copied = ''
  /** Every address that Mailyard was asked for. */
  readonly asked: string[] = []
  readonly keyboard = {
    press: async (key: string) => pressKey(this.#window.document as unknown as Document, key),
  }

  constructor(service: TestApp) {
    const read = () => this.#window.document as unknown as Document
    super(read, '', () => [read().documentElement])
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
    const stored = Object.entries(left.localStorage)
    await left.happyDOM.close()
    for (const [name, value] of stored) window.localStorage.setItem(name, value)
    window.addEventListener('error', (event) =>
      this.problems.push(String(Reflect.get(event, 'message'))),
    )
    window.document.addEventListener('pointerdown', () => (this.clicks += 1), true)
    window.document.body.innerHTML = '<div id="app"></div>'
    const writeText = async (text: string) => {
      this.copied = text
    }
    const own: Record<string, unknown> = {
      ...bind(window),
      globalThis: window,
      // A page that was left hears nothing more.
      fetch: (...request: Parameters<typeof fetch>) =>
        window === this.#window ? this.#fetch(...request) : new Promise(() => undefined),
      navigator: {
        language: 'en-US',
        languages: ['en-US'],
        clipboard: { writeText },
      },
    }
    const run = await loadConsole
    run?.(...globals.map((name) => own[name] ?? window[name as never]))
  }
  reload(): Promise<void> {
    return this.goto(this.url())
  }
  async goBack(): Promise<void> {
    this.#window.history.back()
  }
  async close(): Promise<void> {
    const left = this.#window
    this.#window = new Window()
    await left.happyDOM.close()
  }

  url(): string {
    return this.#window.location.href
  }
  async waitForURL(url: RegExp): Promise<void> {
    await until(() => url.test(this.url()), `${this.url()} is ${url}`)
  }
  async content(): Promise<string> {
    return this.#window.document.documentElement.outerHTML
  }

  /** Holds answers back until the function that it returns is called. */
  hold(url: RegExp): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#held.push({ url, until: promise })
    return resolve
  }

  /** What a link downloads. */
  async download(link: Part): Promise<string> {
    return (await this.#fetch((await link.getAttribute('href')) ?? '')).text()
  }

  /** Asks Mailyard as a browser on its own address does. */
  readonly #fetch: typeof fetch = async (input, { method = 'GET', headers, body, signal } = {}) => {
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
    await Promise.all(this.#held.filter((held) => held.url.test(url)).map((held) => held.until))
    signal?.throwIfAborted()
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
  /** Where its pages are. */
  url: string
  page: TestPage
  /** Opens a path of the console, logged in; as the administrator by default. */
  open(path: string, as?: { username: string; password: string }): Promise<TestPage>
  /** Closes all; fails where a page threw. */
  close(): Promise<void>
}

export async function openTestScreens(options: TestAppOptions = {}): Promise<TestScreens> {
  loadConsole ??= compileConsole()
  const [service] = await Promise.all([openTestApp(options), loadConsole])
  const page = new TestPage(service)
  return {
    service,
    url: origin,
    page,
    async open(path, { username, password } = { username: 'admin', password: adminPassword }) {
      await page.logIn(username, password)
      await page.goto(path)
      return page
    },
    async close() {
      await page.close()
      await service.close()
      assert.deepEqual(page.problems, [])
    },
  }
}

/** Functions of a window, called without it. A frame is drawn at once. */
function bind(window: Window): Record<string, unknown> {
  const names = globals.filter((name) => /^(?:add|remove|set|clear|match|scroll)/.test(name))
  const bound = names.map((name) => [name, (window[name as never] as () => void).bind(window)])
  return {
    ...Object.fromEntries(bound),
    requestAnimationFrame: (work: () => void) => window.setTimeout(work, 0),
    cancelAnimationFrame: (timer: never) => window.clearTimeout(timer),
  }
}
