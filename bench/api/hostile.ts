// How long others wait, and what memory it takes, while a caller sends what is hostile, once and fifty times at once:
// `node bench/api/hostile.ts [pattern of names]`. Fifty lists of 100,000 contacts alone take more than five minutes on two slow cores.
import { apiSettings, sourceMain, startMailyard } from '../../test/mailyard-process.ts'
import { attack } from '../../test/processes/hostile-input.ts'
import { httpInputs } from '../../test/processes/http-inputs.ts'
import { renderInputs } from '../../test/processes/render-inputs.ts'
import { smtpInputs } from '../../test/processes/smtp-inputs.ts'
import { storedInputs, storeMuch } from '../../test/processes/stored-inputs.ts'
import { watchService } from '../../test/processes/watch-service.ts'
import { print } from '../print.ts'

const atOnce = 50
const shown = 10

if (import.meta.main) {
  const chosen = new RegExp(process.argv[2] ?? '')
  const { MAILYARD_SMTP_PORT: _closed, ...settings } = apiSettings
  const env = { ...settings, MAILYARD_MAILER_DSN: 'null://null' }
  const mailyard = await startMailyard({ env, main: sourceMain })
  const watch = watchService(mailyard)
  const target = attack(mailyard)
  await storeMuch(target, 100_000)
  const measure = async (work: () => Promise<unknown>, count: number) => {
    const { nowMiB } = await watch.look()
    await Promise.allSettled(Array.from({ length: count }, work))
    const { gapMs, residentMiB } = await watch.look()
    return { gapMs: Math.max(gapMs, 10), grownMiB: Math.max(0, residentMiB - nowMiB) }
  }
  const results = []
  const inputs = [...storedInputs, ...httpInputs, ...smtpInputs, ...renderInputs]
  for (const input of inputs.filter(({ name }) => chosen.test(name))) {
    const send = () => input.send(target)
    const one = await measure(send, 1)
    results.push({ name: input.name, one, many: await measure(send, atOnce) })
  }
  print(`Others wait longest, in ms of processor time (one, ${atOnce} at once, ratio):`)
  for (const { name, one, many } of results
    .toSorted((a, b) => b.many.gapMs - a.many.gapMs)
    .slice(0, shown))
    print(`${one.gapMs} ${many.gapMs} ${(many.gapMs / one.gapMs).toFixed(1)}  ${name}`)
  print(`Most memory, in MiB (one, ${atOnce} at once):`)
  for (const { name, one, many } of results
    .toSorted((a, b) => b.many.grownMiB - a.many.grownMiB)
    .slice(0, shown))
    print(`${Math.round(one.grownMiB)} ${Math.round(many.grownMiB)}  ${name}`)
  await watch.stop()
  await mailyard.stop()
}
