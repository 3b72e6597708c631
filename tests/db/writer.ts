// Opens the embedded database of a folder and tells of each row after the database has answered.
import { openDatabase } from '../../server/db/client.ts';
import { messageOf } from '../../server/errors.ts';

const tell = (line: string): void => void process.stdout.write(`${line}\n`);
const dataDir = process.argv[2] ?? '';

try {
  const { client } = await openDatabase({ url: null, dataDir });
  tell('open');
  for (let number = 1; ; number += 1) {
    await client.user.create({ data: { name: 'Ada', email: `${number}@example.org` } });
    tell(String(number));
  }
} catch (error) {
  tell(messageOf(error));
  process.exit(1);
}
