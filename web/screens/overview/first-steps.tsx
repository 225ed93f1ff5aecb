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
      {({ first, isTested }) => {
        const canTest = can('multipleTransports:edit')
        // Without an address, a step is not possible yet, or not for this user.
        const steps = [
          {
            ...texts.add,
            isDone: first !== undefined,
            href: can('multipleTransports:create') && '/transports/new',
          },
          { ...texts.test, isDone: isTested, href: first && canTest && `/transports/${first.id}` },
          { ...texts.send, isDone: false, href: can('email:send') && '/emails' },
        ]
        return (
          <>
            <p class="quiet">{texts.intro}</p>
            <ol class="columns">
              {steps.map(({ title, text, action, isDone, href }, index) => (
                <li key={title} class="card">
                  <div class="spread">
                    <h2>{`${index + 1}. ${title}`}</h2>
                    {isDone && <Badge tone="good">{texts.done}</Badge>}
                  </div>
                  <p class="quiet">{text}</p>
                  {href && (
                    <div class="row">
                      <ButtonLink href={href} kind={isDone ? 'normal' : 'primary'}>
                        {action}
                      </ButtonLink>
                    </div>
                  )}
                </li>
              ))}
            </ol>
          </>
        )
      }}
    </Show>
  )
}
