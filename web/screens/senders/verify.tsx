import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Empty, HelpLink, Notice } from '../../design/feedback.tsx'
import { Field, TextArea, TextField } from '../../design/field.tsx'
import { Card, Page, RecordLayout } from '../../design/page.tsx'
import { Picker } from '../../design/picker.tsx'
import { Tabs } from '../../design/tabs.tsx'
import { ask, type Body } from '../../lib/api.ts'
import { can, session } from '../../lib/session.ts'
import { useAction } from '../../lib/use-action.ts'
import { useAddress } from '../../lib/use-address.ts'
import { useData } from '../../lib/use-data.ts'
import { findTransports } from '../../records/find.ts'
import { asciiDomain, domainOf } from '../../records/sender-domain.ts'
import { testMessageOf } from '../../records/test-message.ts'
import { useTransportNames } from '../../records/use-transport-names.ts'
import { alignmentWords } from '../../words/alignment.ts'
import { words } from '../../words/common.ts'
import { senderWords } from '../../words/senders.ts'
import { type VerifiedMessage, VerifyResult } from './verify-result.tsx'
import { SenderViews } from './views.tsx'

const { verify: text } = senderWords
type TestResult = Body<'POST', '/api/multipleTransports/send/test'>

/** Leads through the proof of a From domain and a transport: send a message, copy its source, paste it. */
export function VerifyScreen() {
  if (!can('multipleTransports:edit'))
    return (
      <Page title={text.title}>
        <Empty>{text.forbidden}</Empty>
      </Page>
    )
  return (
    <Page title={text.title}>
      <SenderViews shown="verify" />
      <p class="quiet">
        {text.intro} <HelpLink page="be-believed">{alignmentWords.task}</HelpLink>
      </p>
      <RecordLayout isSideWide side={<PasteCard />}>
        <SendCard />
        <CopyCard />
      </RecordLayout>
    </Page>
  )
}

/** Sends a test message from an address of the domain; the API tests no default transport. */
function SendCard() {
  const { transport } = useAddress().query
  return (
    <Card title={text.steps.send}>
      {transport === '0' ? <p>{text.byDefault}</p> : <SendForm />}
    </Card>
  )
}

function SendForm() {
  const { query, go } = useAddress()
  const { transport = '', domain = '' } = query
  const nameOf = useTransportNames(transport === '' ? [] : [Number(transport)])
  const { data: chosen } = useData(
    async (signal) => {
      if (transport === '') return undefined
      const options = { path: { id: transport }, signal }
      return (await ask('GET', '/api/multipleTransports/{id}', options)).body
    },
    [transport],
  )
  const [typed, setTyped] = useState<string>()
  const [to, setTo] = useState(session.value?.user.email ?? '')
  const [result, setResult] = useState<TestResult>()
  const { isBusy, run } = useAction()
  const isLoaded = transport === '' || chosen !== undefined
  const from = typed ?? (isLoaded ? addressOf(domain, chosen?.testedEmailFrom ?? '') : '')
  const send = (event: SubmitEvent) => {
    event.preventDefault()
    if (chosen === undefined) return
    const { id, mailerDsn } = chosen
    const body = { id, mailerDsn, testedEmailFrom: from, to }
    setResult(undefined)
    void run(async () =>
      setResult((await ask('POST', '/api/multipleTransports/send/test', { body })).body),
    )
  }
  return (
    <>
      <p class="quiet small">{text.already}</p>
      <form class="stack" onSubmit={send}>
        <Picker
          label={text.transport}
          help={text.transportHelp}
          value={
            transport === '' ? undefined : { value: transport, label: nameOf(Number(transport)) }
          }
          onValue={(choice) => go({ transport: choice?.value }, true)}
          find={findTransports()}
        />
        <TextField
          label={text.from}
          help={text.fromHelp}
          type="email"
          required
          value={from}
          onValue={setTyped}
        />
        <TextField
          label={text.to}
          help={text.toHelp}
          type="email"
          required
          value={to}
          onValue={setTo}
        />
        <div class="row">
          <Button type="submit" kind="primary" isBusy={isBusy} disabled={chosen === undefined}>
            {text.send}
          </Button>
        </div>
      </form>
      {result !== undefined && (
        <Notice tone={result.success ? 'good' : 'bad'}>
          <p>{testMessageOf(result)}</p>
          <p>
            {result.success ? (
              text.sent
            ) : (
              <>
                {text.failed} <a href={`/transports/${transport}`}>{nameOf(Number(transport))}</a>
              </>
            )}
          </p>
        </Notice>
      )}
    </>
  )
}

/** The sender to begin with: that of the transport, or an address of the domain. */
function addressOf(domain: string, testedEmailFrom: string): string {
  const isOfDomain = domain === '' || domainOf(testedEmailFrom) === asciiDomain(domain)
  return testedEmailFrom !== '' && isOfDomain ? testedEmailFrom : domain && `test@${domain}`
}

const programs = Object.fromEntries(
  Object.entries(text.howTo).map(([name, program]) => [name, program.name]),
) as Record<keyof typeof text.howTo, string>

/** How to copy the source of a message, in each mail program. */
function CopyCard() {
  const [program, setProgram] = useState<keyof typeof text.howTo>('gmail')
  return (
    <Card title={text.steps.copy}>
      <Tabs
        label={text.programs}
        tabs={programs}
        shown={program}
        onShow={setProgram}
        kind="segments"
      >
        <ol class="setup-steps">
          {text.howTo[program].steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      </Tabs>
    </Card>
  )
}

const bytesMax = 1_048_576

/** Why a text cannot be verified; undefined where it can be tried. */
function faultOf(source: string): string | undefined {
  if (new Blob([source]).size > bytesMax) return text.tooLarge
  const [head = ''] = source.trimStart().split(/\r?\n\r?\n/, 1)
  return /^from:/im.test(head) ? undefined : text.noHeaders
}

/** Verifies the source of a received message. */
function PasteCard() {
  const [source, setSource] = useState('')
  const [fault, setFault] = useState<string>()
  const [message, setMessage] = useState<VerifiedMessage>()
  const { isBusy, run } = useAction()
  const change = (next: string) => {
    setSource(next)
    setFault(undefined)
  }
  const verify = (event: SubmitEvent) => {
    event.preventDefault()
    const problem = faultOf(source)
    setFault(problem)
    setMessage(undefined)
    if (problem !== undefined) return
    void run(async () => {
      const body = { message: source.trimStart() }
      setMessage((await ask('POST', '/api/senders/verify', { body })).body.proof)
    })
  }
  const readFile = (file: File | undefined) =>
    file !== undefined &&
    run(async () => (file.size > bytesMax ? setFault(text.tooLarge) : change(await file.text())))
  return (
    <>
      <Card title={text.steps.paste}>
        <form class="stack" onSubmit={verify}>
          <TextArea
            label={text.source}
            help={text.sourceHelp}
            fault={fault}
            isMono
            rows={8}
            value={source}
            onValue={change}
          />
          <Field label={text.file}>
            {(described) => (
              <input
                {...described}
                type="file"
                accept=".eml,.txt,message/rfc822"
                onChange={(event) => void readFile(event.currentTarget.files?.[0])}
              />
            )}
          </Field>
          <div class="row">
            <Button type="submit" kind="primary" isBusy={isBusy} disabled={source.trim() === ''}>
              {text.verify}
            </Button>
            {source !== '' && (
              <Button kind="plain" onClick={() => change('')}>
                {words.remove}
              </Button>
            )}
          </div>
        </form>
      </Card>
      <div class="stack" aria-live="polite">
        {message !== undefined && <VerifyResult message={message} />}
      </div>
    </>
  )
}
