import { createTwig, TwigError } from '../../../src/libraries/twig/index.ts'
import type { HostileTemplate } from './hostile-template.ts'

/** The result of a hostile template. */
export type HostileResult = { readonly output: string } | { readonly error: unknown }

class Host {
  secret = 'secret'
  reveal(): string {
    return this.secret
  }
  get trap(): string {
    return this.secret
  }
}

/** Data that contains everything that a template must not reach. */
export function hostileContext(): Record<string, unknown> {
  const inherited = Object.create({ inherited: 'secret' })
  inherited.own = 'secret'
  const inner = {
    fn: () => 'secret',
    get trap(): string {
      return 'secret'
    },
  }
  return {
    text: '<b>',
    list: [1, 2, 3],
    fn: () => 'secret',
    host: new Host(),
    child: inherited,
    symbol: Symbol('secret'),
    markup: { text: '<b>', isSafe: true, toString: () => '<b>', charset: 'UTF-8' },
    stringable: { toString: () => 'secret', toJSON: () => 'secret', valueOf: () => 'secret' },
    data: Object.defineProperty(
      {
        a: 1,
        inner,
        look: { __html: '<b>', safe: true, markup: true },
        host: new Host(),
        fn() {
          return 'secret'
        },
        get trap(): string {
          return 'secret'
        },
      },
      'hidden',
      { value: 'secret', enumerable: false },
    ),
  }
}

/** Renders a hostile template as a service would, with the default limits. */
export function runHostile({ source, others = {} }: HostileTemplate): HostileResult {
  const loader = new Map([['main', source], ...Object.entries(others)])
  const twig = createTwig({ loader, debug: true, functions: { echo: (value) => value } })
  try {
    return { output: twig.render('main', hostileContext()) }
  } catch (error) {
    return { error }
  }
}

/** Explains why a result is not allowed; undefined if it is. */
export function findProblem({ ends }: HostileTemplate, outcome: HostileResult): string | undefined {
  const { kinds = [], output: wanted } = ends
  if ('error' in outcome) {
    const { error } = outcome
    if (!(error instanceof TwigError)) return `it threw ${String(error)}`
    if (error.line === undefined) return `no line in "${error.message}"`
    return kinds.includes(error.kind)
      ? undefined
      : `a ${error.kind} error: ${error.message.slice(0, 200)}`
  }
  const { output } = outcome
  const isRight = typeof wanted === 'string' ? output === wanted : wanted?.test(output)
  return isRight ? undefined : `it printed "${output.slice(0, 200)}"`
}
