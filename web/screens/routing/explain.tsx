import { useState } from 'preact/hooks'
import { Notice } from '../../design/feedback.tsx'
import { TextField } from '../../design/field.tsx'
import { Show } from '../../design/page.tsx'
import { type Choice, Picker } from '../../design/picker.tsx'
import { RouteSteps } from '../../design/route-steps.tsx'
import { ask, type Body } from '../../lib/api.ts'
import { findContacts, findEmails, findUsers } from '../../lib/find.ts'
import { can } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'
import { words } from '../../words.ts'

const { explain: texts } = words.routing

/** What is known of a message. */
interface Question {
  email?: Choice | undefined
  contact?: Choice | undefined
  owner?: Choice | undefined
  from: string
  transport: string
}

/** Which transport a message is sent through, as steps with reasons; it follows what is chosen. */
export function Explain() {
  const [question, setQuestion] = useState<Question>({ from: '', transport: '' })
  const { email, contact, owner, from, transport } = question
  const set =
    <Name extends keyof Question>(name: Name) =>
    (value: Question[Name]) =>
      setQuestion({ ...question, [name]: value })
  const loaded = useData(
    async (signal) => {
      const query = {
        emailId: email?.value,
        contactId: contact?.value,
        ownerId: contact === undefined ? owner?.value : undefined,
        from: email === undefined ? from.trim() : undefined,
        transport: transport.trim(),
      }
      return (await ask('GET', '/api/multipleTransport/resolve', { query, signal })).body
    },
    [JSON.stringify(question)],
  )
  return (
    <>
      <p class="quiet">{texts.intro}</p>
      <div class="columns">
        <form class="card" onSubmit={(event) => event.preventDefault()}>
          <Picker label={texts.email} value={email} onValue={set('email')} find={findEmails} />
          {email === undefined && (
            <TextField
              label={texts.from}
              help={texts.fromHelp}
              type="email"
              value={from}
              onValue={set('from')}
            />
          )}
          <Picker
            label={texts.contact}
            value={contact}
            onValue={set('contact')}
            find={findContacts}
          />
          {contact === undefined && can('user:view') && (
            <Picker
              label={texts.owner}
              help={texts.ownerHelp}
              value={owner}
              onValue={set('owner')}
              find={findUsers}
            />
          )}
          <TextField
            label={texts.named}
            help={texts.namedHelp}
            value={transport}
            onValue={set('transport')}
          />
        </form>
        <section class="card" aria-labelledby="route" aria-live="polite">
          <h2 id="route">{texts.result}</h2>
          <Show loaded={loaded}>{(route) => <Result route={route} />}</Show>
        </section>
      </div>
    </>
  )
}

function Result({ route }: { route: Body<'GET', '/api/multipleTransport/resolve'> }) {
  const { transport, isDefault, problem, trace } = route
  return (
    <div class="stack">
      {transport !== null ? (
        <Notice tone="good">
          {texts.through} <a href={`/transports/${transport.id}`}>{transport.name}</a>.
        </Notice>
      ) : (
        <Notice tone={isDefault ? 'good' : 'bad'}>
          {isDefault ? texts.throughDefault : (problem ?? texts.nothing)}
        </Notice>
      )}
      <RouteSteps steps={trace} />
    </div>
  )
}
