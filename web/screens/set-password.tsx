import { useState } from 'preact/hooks'
import { Button } from '../design/button.tsx'
import { Notice } from '../design/feedback.tsx'
import { TextField } from '../design/field.tsx'
import { ApiFault } from '../lib/api.ts'
import { setPassword } from '../lib/session.ts'
import { words } from '../words.ts'

const { setPassword: texts } = words.login

/** The page of a one-time link, whose token is the fragment of the address. It logs in and opens the overview. */
export function SetPasswordScreen() {
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
    <main class="login">
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
    </main>
  )
}
