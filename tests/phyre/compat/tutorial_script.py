"""A script as a user of the original PHYRE would write it; only its import of `phyre` is Tumble's."""

import numpy as np

import tumble.phyre.compat as phyre


def evaluate_ranking(eval_setup, fold, max_tasks, max_attempts, max_actions):
    """AUCCESS of an agent that tries the actions first that solve most training tasks; actions from the cache."""
    train_ids, dev_ids, test_ids = phyre.get_fold(eval_setup, fold)
    tier = phyre.eval_setup_to_action_tier(eval_setup)
    cache = phyre.get_default_100k_cache(tier)
    known = cache.get_sample(train_ids + dev_ids, max_actions)
    solved = (known["simulation_statuses"] == phyre.SimulationStatus.SOLVED).sum(axis=0)
    ranking = np.argsort(-solved, kind="stable")

    tasks = test_ids[:: max(1, len(test_ids) // max_tasks)][:max_tasks]
    simulator = phyre.initialize_simulator(tasks, tier)
    evaluator = phyre.Evaluator(tasks)
    attempts = []
    for task_index in range(len(tasks)):
        for action_index in ranking:
            if evaluator.get_attempts_for_task(task_index) >= max_attempts:
                break
            action = known["actions"][action_index]
            status = simulator.simulate_action(task_index, action, need_images=False).status
            attempts.append((tasks[task_index], action, int(status)))
            evaluator.maybe_log_attempt(task_index, status)
            if status.is_solved():
                break
    return evaluator, attempts


def evaluate_random(eval_setup, fold, max_tasks, max_attempts, max_actions):
    """The same for actions in random order, from a discrete action space."""
    _, _, test_ids = phyre.get_fold(eval_setup, fold)
    tasks = test_ids[:max_tasks]
    simulator = phyre.initialize_simulator(tasks, phyre.eval_setup_to_action_tier(eval_setup))
    actions = simulator.build_discrete_action_space(max_actions=max_actions)
    evaluator = phyre.Evaluator(tasks)
    attempts = []
    for task_index in range(len(tasks)):
        while evaluator.get_attempts_for_task(task_index) < max_attempts:
            action = actions[np.random.randint(len(actions))]
            simulation = simulator.simulate_action(task_index, action, need_images=False)
            attempts.append((tasks[task_index], action, int(simulation.status)))
            evaluator.maybe_log_attempt(task_index, simulation.status)
            if simulation.status.is_solved():
                break
    return evaluator, attempts


def look_at(task_id, tier, action):
    """Pictures and features of one attempt."""
    simulator = phyre.initialize_simulator([task_id], tier)
    start = phyre.observations_to_float_rgb(simulator.initial_scenes[0])
    simulation = simulator.simulate_action(0, action, need_images=True, need_featurized_objects=True, stride=60)
    if simulation.status.is_invalid():
        return start, [], None
    movie = [
        phyre.observations_to_uint8_rgb(image, is_solved=simulation.status.is_solved()) for image in simulation.images
    ]
    objects = simulation.featurized_objects
    drawn = phyre.featurized_objects_vector_to_raster(objects.features[-1])
    return start, movie, (objects, drawn)


def main():
    np.random.seed(0)
    for setup in phyre.MAIN_EVAL_SETUPS:
        evaluator, attempts = evaluate_ranking(setup, 0, max_tasks=2, max_attempts=25, max_actions=100)
        print(setup, len(attempts), "simulated,", f"AUCCESS {evaluator.get_auccess():.3f}")
    evaluator, attempts = evaluate_random("ball_within_template", 0, 2, 25, 1000)
    metrics = evaluator.compute_all_metrics()
    print("random", metrics["independent_solved_by"][25], metrics["total_attempts"])
    _, movie, (objects, _) = look_at("00000:000", "ball", [0.5, 0.9, 0.2])
    print(len(movie), "pictures of", objects.num_objects, "objects:", ", ".join(objects.shapes))


if __name__ == "__main__":
    main()
