import { parseArgs } from 'node:util';
import { ConfigError, readConfig, readEnvFile } from '../config.ts';
import { AppError, messageOf } from '../errors.ts';
import { askRunningServer } from './admin-socket.ts';
import type { AdminCommand } from './commands.ts';
import { readPassword } from './password-prompt.ts';
import { setUpPython } from './setup-python.ts';
import { runAlone } from './stand-alone.ts';

const USAGE = `Usage: npm run admin -- <command>

  create-user --email ADDRESS [--name NAME] [--role user|operator]
      Makes an account. The password is asked for, or read from standard input.
  create-api-key [--email ADDRESS] [--role user|operator] [--name LABEL]
      Prints a new API key and nothing else. Without --email the oldest operator gets it.
  reset-password --email ADDRESS
      Sets a password and ends all sessions of the account.
  doctor
      Checks the database, accounts, models and tools, and says what to do.
  backup
      Copies the embedded database while everything goes on.
  setup-python [--from FOLDER]
      Loads the Python packages of code_interpreter, or takes their files from a folder.
`;

async function main(): Promise<number> {
  const command = await readCommand(process.argv.slice(2));
  if (command === null) {
    process.stdout.write(USAGE);
    return process.argv.length > 2 ? 1 : 0;
  }
  const { config } = readConfig(process.env, readEnvFile(process.cwd()));
  // Needs no server and no database, and is long: it prints as it goes on.
  if (command.name === 'setup-python') return setUpPython(config, command);
  const outcome = (await askRunningServer(config, command)) ?? (await runAlone(config, command));
  process[outcome.code === 0 ? 'stdout' : 'stderr'].write(`${outcome.text}\n`);
  return outcome.code;
}

interface SetupPythonCommand {
  readonly name: 'setup-python';
  /** Null for the hosts of the packages. */
  readonly from: string | null;
}

/** Null when there is no such command. */
async function readCommand(
  parameters: readonly string[],
): Promise<AdminCommand | SetupPythonCommand | null> {
  const { positionals, values } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: {
      email: { type: 'string' },
      from: { type: 'string' },
      name: { type: 'string' },
      role: { type: 'string', default: 'user' },
    },
  });
  const role = readRole(values.role);
  const email = (): string => requireOption('email', values.email);
  switch (positionals.join(' ')) {
    case 'create-user': {
      const address = email();
      const person = values.name ?? address.split('@')[0] ?? address;
      const password = await readPassword();
      return { name: 'create-user', email: address, person, role, password };
    }
    case 'create-api-key': {
      const label = values.name ?? 'Made in the shell';
      return { name: 'create-api-key', email: values.email ?? null, role, label };
    }
    case 'reset-password':
      return { name: 'reset-password', email: email(), password: await readPassword() };
    case 'doctor':
      return { name: 'doctor' };
    case 'backup':
      return { name: 'backup' };
    case 'setup-python':
      return { name: 'setup-python', from: values.from ?? null };
    default:
      return null;
  }
}

function readRole(text: string): 'USER' | 'OPERATOR' {
  if (text === 'user') return 'USER';
  if (text === 'operator') return 'OPERATOR';
  throw new AppError('BAD_INPUT', `--role is "${text}", but must be user or operator.`);
}

function requireOption(name: string, value: string | undefined): string {
  if (value) return value;
  throw new AppError('BAD_INPUT', `--${name} is missing.`);
}

/** What the person can mend is told in a line; everything else with its stack. */
function describeFailure(error: unknown): string {
  const isOption = error instanceof TypeError && 'code' in error;
  if (error instanceof AppError || error instanceof ConfigError || isOption) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : messageOf(error);
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${describeFailure(error)}\n`);
  process.exitCode = 1;
}
