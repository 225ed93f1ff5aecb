import { useEffect, useState } from 'preact/hooks'
import { Button, ButtonLink } from '../design/button.tsx'
import { Notice } from '../design/feedback.tsx'
import { TextField } from '../design/field.tsx'
import { ApiFault } from '../lib/api.ts'
import { checkPasswordLink, setPassword } from '../lib/session.ts'
import { words } from '../words/common.ts'

const { setPassword: texts } = words.login

/**
 * The page of a one-time link, whose token is the fragment of the address. It logs in and opens the overview. A link that
 * was used says so at once.
 */
export function SetPasswordScreen() {
  const [ended, setEnded] = useState<string>()
  useEffect(() => {
    // Without an answer, the form says what is wrong when it is sent.
    checkPasswordLink(location.hash.slice(1)).catch((error: unknown) => {
      if (error instanceof ApiFault && error.status === 404) setEnded(error.message)
    })
  }, [])
  return (
    <main class="login">
      {ended === undefined ? <PasswordForm /> : <EndedLink reason={ended} />}
    </main>
  )
}

function EndedLink({ reason }: { reason: string }) {
  return (
    <div class="card">
      <h1>{texts.title}</h1>
      <Notice tone="bad">{reason}</Notice>
      <ButtonLink href="/">{words.login.submit}</ButtonLink>
    </div>
  )
}

function PasswordForm() {
  const [password, setNew] = useState('')
  const [confirm, setConfirm] = useState('')
  const [fault, setFault] = useState<ApiFault>()
  const [isBusy, setBusy] = useState(false)
  const isDifferent = confirm !== '' && confirm !== password
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (confirm !== password) return
    setBusy(true)
    setFault(undefined)
    try {
      await setPassword(location.hash.slice(1), password)
    } catch (error) {
      setFault(error instanceof ApiFault ? error : new ApiFault(0, String(error)))
      setBusy(false)
    }
  }
  return (
    <form class="card" onSubmit={submit}>
      <h1>{texts.title}</h1>
      {fault !== undefined && <Notice tone="bad">{fault.message}</Notice>}
      <TextField
        label={texts.password}
        name="password"
        type="password"
        autocomplete="new-password"
        required
        value={password}
        onValue={setNew}
        help={texts.help}
        fault={fault?.details['password']?.join(' ')}
      />
      <TextField
        label={texts.confirm}
        name="confirm"
        type="password"
        autocomplete="new-password"
        required
        value={confirm}
        onValue={setConfirm}
        fault={isDifferent ? texts.different : undefined}
      />
      <Button kind="primary" type="submit" isBusy={isBusy}>
        {texts.submit}
      </Button>
    </form>
  )
}
