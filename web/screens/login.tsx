import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../design/button.tsx'
import { Notice } from '../design/feedback.tsx'
import { TextField } from '../design/field.tsx'
import { Wordmark } from '../design/wordmark.tsx'
import { logIn, session } from '../lib/session.ts'
import { useAction } from '../lib/use-action.ts'
import { words } from '../words/common.ts'

const { login: text } = words

/** The log-in page. The address stays, so that the screen that was asked for is shown afterwards. */
export function LoginScreen() {
  return (
    <main class="login">
      <h1 class="brand">
        <Wordmark />
      </h1>
      <div class="card">
        <LoginForm username="" />
        <details>
          <summary>{text.help.title}</summary>
          <dl class="stack small">
            {text.help.cases.map(({ when, what, command }) => (
              <div key={when}>
                <dt>{when}</dt>
                <dd class="quiet">
                  {what} <code>{command}</code>
                </dd>
              </div>
            ))}
          </dl>
        </details>
      </div>
    </main>
  )
}

/** The log-in after a session has ended, over the screen, which keeps what was typed. It stays until the user is logged in. */
export function LoginDialog() {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before the next frame: further keys must not reach the page behind it.
  useLayoutEffect(() => {
    ref.current?.showModal()
    ref.current?.querySelector<HTMLInputElement>('[name="password"]')?.focus()
  }, [])
  const { email, name } = session.value?.user ?? {}
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onCancel={(event) => event.preventDefault()}
      onClose={() => ref.current?.showModal()}
    >
      <div class="stack">
        <h2 id={id}>{words.session.ended}</h2>
        <p class="quiet">{words.session.again}</p>
        <LoginForm username={email ?? name ?? ''} />
      </div>
    </dialog>
  )
}

function LoginForm({ username: first }: { username: string }) {
  const [username, setUsername] = useState(first)
  const [password, setPassword] = useState('')
  const [fault, setFault] = useState<string>()
  const { isBusy, run } = useAction(setFault)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setFault(undefined)
    void run(() => logIn(username, password))
  }
  return (
    <form class="stack" onSubmit={submit}>
      {fault !== undefined && <Notice tone="bad">{fault}</Notice>}
      <TextField
        label={text.username}
        name="username"
        autocomplete="username"
        required
        value={username}
        onValue={setUsername}
      />
      <TextField
        label={text.password}
        name="password"
        type="password"
        autocomplete="current-password"
        required
        value={password}
        onValue={setPassword}
      />
      <Button kind="primary" type="submit" isBusy={isBusy}>
        {text.submit}
      </Button>
    </form>
  )
}
