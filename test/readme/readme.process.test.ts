import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import {
  createFolder,
  type MailyardProcess,
  sourceMain,
  startMailyard,
} from '../mailyard-process.ts'
import { type MauticDouble, startMauticDouble } from '../mautic-double/mautic-double.ts'

const root = join(import.meta.dirname, '../..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const [, ...blocks] = [...readme.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(
  ([, block]) => block ?? '',
)

/** The README's `api`, which all pages use. */
const api = /^api\(\) .*\n/m.exec(blocks.join(''))?.[0] ?? ''

/** Pages whose first example needs more than a Mailyard after the README's tour, and what runs it instead. */
const otherwiseRun: Readonly<Record<string, string>> = {
  'docs/performance.md': 'a benchmark',
  'docs/production.md': 'test/package/production.process.test.ts installs the package',
}

/** The first example of each page, if it is one for a shell. */
const firstExamples = globSync(['docs/*.md', 'docs/tasks/*.md'], { cwd: root })
  .toSorted()
  .flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8')
    const [, language, example = ''] = /^ *```(\w*)\n([\s\S]*?)^ *```/m.exec(text) ?? []
    return language === 'sh' && !(page in otherwiseRun) ? [{ page, text, example }] : []
  })

const shells = [
  { program: '/bin/bash', config: '--norc' },
  { program: '/usr/bin/zsh', config: '-f' },
] as const

for (const { program, config } of shells) {
  const skip = existsSync(program) ? false : `needs ${program}`
  describe(`the README in ${program}`, { skip, timeout: 600_000 }, () => {
    const { folder, remove } = createFolder()
    let mailyard: MailyardProcess
    let mautic: MauticDouble

    before(async () => {
      // The checkout as `./mailyard` needs it, with a `data` folder of its own.
      for (const name of ['mailyard', 'package.json', 'node_modules', 'src'])
        symlinkSync(join(root, name), join(folder, name))
      mailyard = await startMailyard({ folder, main: sourceMain })
      mautic = await startMauticDouble()
      writeFileSync(join(folder, 'data/mautic-password'), mautic.administrator.password)
    })
    after(async () => {
      await mailyard?.stop()
      await mautic?.close()
      remove()
    })

    for (const [time, option] of [
      ['in a script', '-s'],
      ['a second time, in a terminal', '-i'],
    ] as const)
      test(`works line by line ${time}, and the email is delivered`, async () => {
        const args = [config, option]
        const { code, stdout, stderr } = await paste({ program, args, folder, mailyard })
        assert.equal(code, 0, stderr)
        assert.doesNotMatch(stderr, /not found|no matches|error|event not|curl:/i)
        assert.doesNotMatch(stdout, /"success":\s*false|"statusCode"/)
        assert.match(stdout, /Captured, not sent: \/api\/inbox\/\d+/)
        assert.match(stdout, /<p>Dear Jane,<\/p>/)
        assert.match(stdout, /"subject":"Over SMTP"/)
      })

    test('pasted twice, there is one transport and one template', async () => {
      const lines = 'api multipleTransports\napi twigTemplates\n'
      const args = [config, '-s']
      const { stdout } = await paste({ program, args, folder, mailyard, lines: `${api}${lines}` })
      assert.equal(stdout.match(/"name":"Inbox"/g)?.length, 1)
      assert.equal(stdout.match(/"name":"Greeting"/g)?.length, 1)
    })

    if (program !== '/bin/bash') return
    for (const { page, example } of firstExamples)
      test(`then the first example of ${page} works as it is written`, async () => {
        const lines = example
          .replaceAll('https://mautic.example.com', mautic.url)
          .replaceAll('--user mailyard', `--user ${mautic.administrator.username}`)
          .replaceAll('mautics connect', 'mautics connect --no-wait')
        const args = [config, '-e', '-s']
        const pasted = { program, args, folder, mailyard, lines: `${api}${lines}` }
        const { code, stdout, stderr } = await paste(pasted)
        assert.deepEqual({ code, stderr }, { code: 0, stderr: '' }, stdout)
        assert.doesNotMatch(stdout, /"success":\s*false|"error":|was ignored/)
      })
  })
}

interface Pasting {
  program: string
  args: readonly string[]
  folder: string
  mailyard: MailyardProcess
  /** Default: all blocks of the README. */
  lines?: string
}

/** Gives blocks to a shell, as if they were pasted one after the other. */
async function paste({ program, args, folder, mailyard, lines = blocks.join('') }: Pasting) {
  const pasted = lines
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${mailyard.port}`)
    .replaceAll('127.0.0.1:2525', `127.0.0.1:${mailyard.smtpPort}`)
  const shell = spawn(program, args, {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      TERM: 'dumb',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    },
  })
  shell.stdin.end(`${pasted}exit\n`)
  const ended = new Promise<number | null>((resolve) => shell.once('close', resolve))
  const [code, stdout, stderr] = await Promise.all([ended, text(shell.stdout), text(shell.stderr)])
  return { code, stdout, stderr }
}
