import { ButtonLink } from '../../design/button.tsx'
import { Badge } from '../../design/feedback.tsx'
import { Show } from '../../design/page.tsx'
import { ask } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'

const texts = {
  intro: 'Nothing has been sent yet. Three steps to the first message:',
  done: 'Done',
  add: {
    title: 'Add a transport',
    text: 'A mail server or a provider that Mailyard sends through.',
    action: 'Add a transport',
  },
  test: {
    title: 'Test it',
    text: 'A test message shows each stage, and what to do if one fails.',
    action: 'Test the transport',
  },
  send: {
    title: 'Send',
    text: 'Write an email, assign the transport, and send it to a contact.',
    action: 'Choose an email',
  },
} as const

export function FirstSteps() {
  const mayView = can('multipleTransports:view')
  const loaded = useData(async (signal) => {
    if (!mayView) return { first: undefined, isTested: false }
    const find = async (lastTest?: string) => {
      const query = { limit: 1, lastTest }
      return (await ask('GET', '/api/multipleTransports', { query, signal })).body[0]
    }
    const [first, tested] = await Promise.all([find(), find('passed')])
    return { first, isTested: tested !== undefined }
  }, [])
  return (
    <Show loaded={loaded}>
      {({ first, isTested }) => (
        <>
          <p class="quiet">{texts.intro}</p>
          <ol class="columns">
            <Step
              number={1}
              step={texts.add}
              isDone={first !== undefined}
              href={can('multipleTransports:create') ? '/transports/new' : undefined}
            />
            <Step
              number={2}
              step={texts.test}
              isDone={isTested}
              href={first && can('multipleTransports:edit') ? `/transports/${first.id}` : undefined}
            />
            <Step
              number={3}
              step={texts.send}
              isDone={false}
              href={can('email:send') ? '/emails' : undefined}
            />
          </ol>
        </>
      )}
    </Show>
  )
}

function Step({
  number,
  step: { title, text, action },
  isDone,
  href,
}: {
  number: number
  step: { title: string; text: string; action: string }
  isDone: boolean
  /** Undefined where the step is not possible yet, or not for this user. */
  href: string | undefined
}) {
  return (
    <li class="card">
      <div class="spread">
        <h2>{`${number}. ${title}`}</h2>
        {isDone && <Badge tone="good">{texts.done}</Badge>}
      </div>
      <p class="quiet">{text}</p>
      {href !== undefined && (
        <div class="row">
          <ButtonLink href={href} kind={isDone ? 'normal' : 'primary'}>
            {action}
          </ButtonLink>
        </div>
      )}
    </li>
  )
}
