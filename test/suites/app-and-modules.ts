import { runTogether } from '../run-together.ts'

// Every module that no other suite names.
runTogether(
  'src/*.test.ts',
  'src/!(cli|config|delivery|http|kit|mailer|relay|resource|storage|twig)/**/*.test.ts',
)
