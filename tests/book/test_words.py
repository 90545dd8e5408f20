"""The made-up language of chapter 5: is its test split as new to a learner as it claims to be?"""

import subprocess
import sys
from collections import defaultdict

import pytest
from lab import words

TRAIN, TEST = words.sentences("train"), words.sentences("test")


def company(sentence: words.Sentence) -> set[str]:
    return {sentence.words[place] for place in sentence.company}


def test_no_company_of_a_test_sentence_stands_beside_its_noun_in_training():
    beside = defaultdict(set)
    for sentence in TRAIN:
        beside[sentence.noun] |= set(sentence.words)
    for sentence in TEST:
        assert not company(sentence) & beside[sentence.noun], str(sentence)


def test_all_words_of_the_test_split_occur_in_training():
    known = {word for sentence in TRAIN for word in sentence.words}
    assert {word for sentence in TEST for word in sentence.words} <= known


def test_company_tells_one_topic():
    topics = defaultdict(set)
    for sentence in TRAIN:
        for word in company(sentence):
            topics[word].add(sentence.topic)
    assert {word: found for word, found in topics.items() if len(found) > 1} == {}


def test_without_its_company_a_sentence_does_not_tell_its_meaning():
    frames = defaultdict(lambda: defaultdict(list))
    for sentence in TRAIN + TEST:
        if sentence.noun in words.SENSES:
            rest = [w for i, w in enumerate(sentence.words) if i not in sentence.company]
            frames[sentence.noun][sentence.topic].append(" ".join(rest))
    for noun, (one, other) in words.SENSES.items():
        assert sorted(frames[noun][one]) == sorted(frames[noun][other]), noun


def test_each_meaning_is_there_equally_often_in_both_splits():
    for split in (TRAIN, TEST):
        count = defaultdict(int)
        for sentence in split:
            if sentence.noun in words.SENSES:
                count[sentence.noun, sentence.topic] += 1
        assert set(count) == {(n, t) for n, topics in words.SENSES.items() for t in topics}
        assert len(set(count.values())) == 1


def test_the_sentences_of_the_introduction_are_held_out():
    texts = {str(sentence): sentence for sentence in TEST}
    assert texts["the river bank was dirty"].topic == "river"
    assert texts["I went to the bank to deposit money"].topic == "money"


def test_places_are_where_they_say():
    for sentence in TRAIN + TEST:
        topic = words.TOPICS[sentence.topic]
        own = f"{topic.things} {topic.adjectives} {topic.actions}".replace("-", " ").split()
        assert company(sentence) <= set(own)
        assert sentence.noun in [*topic.nouns.split(), *words.SENSES]


def test_no_sentence_is_there_twice():
    assert len(set(TRAIN)) == len(TRAIN) and len(set(TEST)) == len(TEST)


def test_numbers_stand_for_the_words():
    vocabulary = words.vocabulary()
    assert vocabulary[:2] == [words.PAD, words.GAP] and len(set(vocabulary)) == len(vocabulary)
    chosen = [TEST[0], TRAIN[-1], TRAIN[5]]
    tokens = words.encode(chosen, vocabulary)
    assert tokens.shape == (3, max(len(sentence.words) for sentence in chosen))
    for row, sentence in zip(tokens.tolist(), chosen, strict=True):
        assert " ".join(vocabulary[number] for number in row if number) == str(sentence)
        assert row == sorted(row, key=lambda number: number == 0)  # padding comes last


def test_another_split_is_refused():
    with pytest.raises(ValueError, match="'valid'.*train.*test"):
        words.sentences("valid")


@pytest.mark.slow
def test_needs_no_altair():
    code = "import sys; sys.modules['altair'] = None; import lab.words"
    subprocess.run([sys.executable, "-c", code], check=True)
