// The time to compile the templates of one email, from source to closures: `node bench/twig/compile.ts`.
import { createTwig } from '../../src/twig/index.ts'
import { emailContext, emailTemplates } from './email-templates.ts'

const rounds = 200
const name = 'order.html.twig'

interface CompileResult {
  readonly templates: number
  readonly characters: number
  /** The first compilation in a process. */
  readonly coldMs: number
  /** The mean for all templates of the email, in a warm process. */
  readonly warmMs: number
  /** The longest in a warm process. */
  readonly slowestMs: number
}

/** Compiles all templates of the email, each time in a new engine. */
export function runCompileBench(): CompileResult {
  const coldMs = compile()
  for (let i = 0; i < rounds; i++) compile()
  const times = Array.from({ length: rounds }, compile)
  return {
    templates: emailTemplates.length,
    characters: emailTemplates.reduce((sum, [, source]) => sum + source.length, 0),
    coldMs,
    warmMs: times.reduce((sum, time) => sum + time, 0) / rounds,
    slowestMs: Math.max(...times),
  }
}

function compile(): number {
  const twig = createTwig({ loader: new Map(emailTemplates) })
  const start = performance.now()
  for (const [template, source] of emailTemplates) twig.parse(source, template)
  const time = performance.now() - start
  if (!twig.render(name, emailContext).includes('<html')) throw new Error('The email is not whole.')
  return time
}

if (import.meta.main) {
  const { templates, characters, coldMs, warmMs, slowestMs } = runCompileBench()
  process.stdout.write(
    `${templates} templates of ${characters} characters compile in ${warmMs.toFixed(2)} ms (2 wanted), ` +
      `at most in ${slowestMs.toFixed(2)} ms; ${coldMs.toFixed(1)} ms the first time in a process\n`,
  )
}
