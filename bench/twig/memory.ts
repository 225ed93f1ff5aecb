// The heap during a million renders of one email: `node bench/twig/memory.ts`.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createTwig } from '../../src/twig/index.ts'
import { emailContext, emailTemplates } from './email-templates.ts'

const name = 'order.html.twig'
const stages = 10

interface MemoryResult {
  readonly renders: number
  /** The heap after a collection, in a warm engine and then after each tenth of the renders. */
  readonly heapMb: readonly number[]
  /** The difference of the last and the first. */
  readonly growthMb: number
}

/** Renders the email with another name each time, and another template each thousandth time. */
export function runMemoryBench(renders = 1_000_000): MemoryResult {
  const twig = createTwig({ loader: new Map(emailTemplates) })
  const collect = exposeCollection()
  const render = (count: number, stage: number): void => {
    for (let i = 0; i < count; i++) {
      twig.render(name, { ...emailContext, locale: `en-${i}` })
      if (i % 1_000 === 0) twig.renderSource(`{{ a }} ${stage}-${i}`, { a: i })
    }
  }
  render(20_000, -1)
  const heapMb = [heapInUse(collect)]
  for (let stage = 0; stage < stages; stage++) {
    render(renders / stages, stage)
    heapMb.push(heapInUse(collect))
  }
  return { renders, heapMb, growthMb: (heapMb.at(-1) ?? 0) - (heapMb[0] ?? 0) }
}

function exposeCollection(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc')
}

function heapInUse(collect: () => void): number {
  collect()
  return process.memoryUsage().heapUsed / 1e6
}

if (import.meta.main) {
  const { renders, heapMb, growthMb } = runMemoryBench()
  process.stdout.write(
    `${renders.toLocaleString('en')} renders, heap in MB: ${heapMb.map((mb) => mb.toFixed(1)).join(' ')}, ` +
      `growth ${growthMb.toFixed(1)} MB\n`,
  )
}
